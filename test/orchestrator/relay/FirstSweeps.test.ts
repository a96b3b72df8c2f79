/** Budget of owners' first sweeps: what owners without a history cost the relayer, and that others go on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { encodeEventTopics, erc20Abi, type Hex, numberToHex } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { firstClass, funderClass } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { offer, source, sweptLog, TOKEN } from "../../support/RelayFixtures.ts"
import { layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const FINNEY = 10n ** 15n

/** Latest deadline, so that no sweep of a test expires. */
const LATE = 1_800_000_000n

const BUDGET = 20n * FINNEY

const layer = layerWith({ firstSweepsLossBudget: BUDGET })

const FUNDER = address(0xf0)

/** The owner gets what it sweeps. */
const transferLog = (to: Address.Address, amount = offer({ id: "any" }).order.amountIn, from = FUNDER) => ({
  address: TOKEN,
  topics: encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from, to } }) as Array<Hex>,
  data: numberToHex(amount, { size: 32 })
})

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const first = Effect.gen(function* () {
  const the = yield* scene
  const intents = yield* Intents
  const cost = { wei: 0n }

  /** The owner's account is not delegated. */
  const submitFirst = (id: string, owner: number, nonce = BigInt(owner)) =>
    the.submit({ id, owner, order: { nonce, deadline: LATE } })

  /** Mines every unfinished transaction. Each of its sweeps costs so many wei. */
  const conclude = Effect.fnUntraced(function* (status: "success" | "reverted", wei: bigint) {
    for (const { attempts, intentIds, nonce } of yield* the.unfinished) {
      const dataFee = wei * BigInt(intentIds.length)
      cost.wei += dataFee
      const logs = status === "success" ? (yield* intents.findAll(intentIds)).map((each) => sweptLog(each)) : []
      yield* the.mineLane({ hash: attempts.at(-1)?.hash ?? "0x", status, logs, gasUsed: 0n, dataFee }, nonce)
    }
    yield* the.bury(2)
    yield* tick
  })

  /** Relays and mines until nothing more is sent. */
  const exhaust = Effect.fnUntraced(function* (status: "success" | "reverted", wei: bigint) {
    for (let sent = 1; sent > 0;) {
      sent = (yield* relay).sent
      yield* conclude(status, wei)
      yield* TestClock.adjust(15_000)
    }
  })

  return { ...the, conclude, cost, exhaust, submitFirst }
})

describe("first sweeps", () => {
  it.effect("of any number of owners lose no more than their budget in an hour, and none fails for it", () =>
    Effect.gen(function* () {
      const { alertKinds, cost, exhaust, intent, submit, submitFirst, sweptBefore } = yield* first
      for (const owner of range(60)) yield* submitFirst(`f${owner}`, owner)
      yield* exhaust("reverted", FINNEY)
      assert.isTrue(cost.wei > BUDGET / 2n && cost.wei <= BUDGET)
      assert.include(yield* alertKinds, "exposure_spent")
      assert.strictEqual((yield* intent("f60")).status, "submitted")

      // An owner who swept before goes on.
      yield* sweptBefore(61)
      yield* submit({ id: "known", owner: 61, order: { nonce: 61n, deadline: LATE } })
      assert.strictEqual((yield* relay).sent, 1)

      yield* TestClock.adjust("65 minutes")
      assert.isTrue((yield* relay).sent > 1)
      assert.notInclude(yield* alertKinds, "exposure_spent")
    }).pipe(Effect.provide(layer))
  )

  it.effect("of owners with gas of their own do not keep those of others waiting", () =>
    Effect.gen(function* () {
      const { chain, cost, exhaust, submitFirst } = yield* first
      for (const owner of range(40)) {
        yield* chain.setBalance(address(owner), 10n ** 18n)
        yield* submitFirst(`f${owner}`, owner)
      }
      yield* exhaust("reverted", FINNEY)
      assert.isTrue(cost.wei <= BUDGET / 2n)
      yield* submitFirst("honest", 50)
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of owners whom one account funded share a part of the budget, and those of others go on", () =>
    Effect.gen(function* () {
      const { chain, conclude, cost, exhaust, submitFirst } = yield* first
      yield* submitFirst("loss", 50)
      yield* relay
      yield* conclude("reverted", 1n)
      cost.wei = 0n
      for (const owner of range(20)) {
        yield* chain.mine([{ hash: hash(`fund ${owner}`), logs: [transferLog(address(owner))] }])
        yield* submitFirst(`f${owner}`, owner)
      }
      yield* exhaust("reverted", FINNEY)
      assert.isTrue(cost.wei > 0n && cost.wei <= BUDGET / 8n)
      const exposures = yield* Exposures
      const key = funderClass(source.id, FUNDER)
      assert.strictEqual((yield* exposures.sums([key])).get(key)?.hour.lost, cost.wei)
      yield* submitFirst("honest", 51)
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of owners whose funder does not become known in time go on", () =>
    Effect.gen(function* () {
      const { chain, conclude, submitFirst } = yield* first
      yield* submitFirst("loss", 50)
      yield* relay
      yield* conclude("reverted", 1n)
      yield* chain.mine([{ hash: hash("fund"), logs: [transferLog(address(1))] }])
      yield* submitFirst("a", 1)
      const sending = yield* Effect.forkChild(relay)
      yield* TestClock.adjust("300 millis")
      assert.strictEqual((yield* Fiber.join(sending)).sent, 1)
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          logs: (filter) => (filter.address === TOKEN ? Effect.never : client.logs(filter))
        }))
      )
    )
  )

  it.effect("without room in the budget of all have nobody look for their funders", () => {
    let looks = 0
    return Effect.gen(function* () {
      const { chain, conclude, submitFirst } = yield* first
      yield* submitFirst("loss", 50)
      yield* relay
      yield* conclude("reverted", 10n ** 21n)
      for (const owner of range(5)) {
        yield* chain.setBalance(address(owner), 10n ** 18n)
        yield* submitFirst(`f${owner}`, owner)
      }
      assert.deepStrictEqual(yield* relay, { claimed: 5, sent: 0 })
      assert.strictEqual(looks, 0)
      // Without gas of its own, an owner has another budget.
      yield* submitFirst("honest", 51)
      assert.strictEqual((yield* relay).sent, 1)
      assert.strictEqual(looks, 1)
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          logs: (filter) => {
            if (filter.address === TOKEN) looks++
            return client.logs(filter)
          }
        }))
      )
    )
  })

  it.effect("that pay leave the budget as it is, and earn more", () =>
    Effect.gen(function* () {
      const { cost, exhaust, submitFirst } = yield* first
      for (const owner of range(40)) yield* submitFirst(`f${owner}`, owner)
      yield* exhaust("success", FINNEY / 10n)
      assert.strictEqual(cost.wei, 4n * FINNEY)
      const exposures = yield* Exposures
      const key = firstClass(source.id, false)
      const sums = (yield* exposures.sums([key])).get(key)
      assert.strictEqual(sums?.open, 0n)
      assert.deepStrictEqual(sums?.hour, { lost: 0n, earned: 40n * (480_000_000_000_000n - FINNEY / 10n) })
    }).pipe(Effect.provide(layer))
  )

  it.effect("of an owner wait for a day once two of them have failed, until the account is delegated", () =>
    Effect.gen(function* () {
      const { chain, conclude, givenUp, submitFirst } = yield* first
      for (const nonce of [1n, 2n]) {
        yield* submitFirst(`a${nonce}`, 1, nonce)
        assert.strictEqual((yield* relay).sent, 1)
        yield* conclude("reverted", 1n)
        yield* TestClock.adjust("2 hours")
      }
      yield* submitFirst("a3", 1, 3n)
      yield* submitFirst("other", 2)
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.isUndefined(yield* givenUp("a3"))
      yield* chain.setCode(address(1), designator(source.contracts.delegate))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("that wait for their budget do not stand before other sweeps", () =>
    Effect.gen(function* () {
      const { submit, submitFirst, sweptBefore } = yield* first
      for (const owner of range(8)) yield* submitFirst(`f${owner}`, owner)
      for (const _ of range(4)) assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 0 })
      yield* TestClock.adjust("1 minute")
      yield* sweptBefore(61)
      yield* submit({ id: "known", owner: 61, order: { nonce: 61n, deadline: LATE } })
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
    }).pipe(Effect.provide(layerWith({ firstSweepsLossBudget: 0n, batch: 2 })))
  )

  it.effect("that losses keep waiting are not tried again before a minute is over, and alone tell of it", () =>
    Effect.gen(function* () {
      const { alertKinds, exhaust, submitFirst } = yield* first
      for (const owner of range(60)) yield* submitFirst(`f${owner}`, owner)
      yield* exhaust("reverted", FINNEY)
      const claimedNow = Effect.gen(function* () {
        let sum = 0
        for (let claimed = 1; claimed > 0; sum += claimed) claimed = (yield* relay).claimed
        return sum
      })
      yield* TestClock.adjust("1 minute")
      assert.isTrue((yield* claimedNow) > 30)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* claimedNow, 0)
      assert.include(yield* alertKinds, "exposure_spent")
    }).pipe(Effect.provide(layer))
  )

  it.effect("with a budget of 0 are not sent", () =>
    Effect.gen(function* () {
      const { intent, submitFirst } = yield* first
      yield* submitFirst("a", 1)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layerWith({ firstSweepsLossBudget: 0n })))
  )
})
