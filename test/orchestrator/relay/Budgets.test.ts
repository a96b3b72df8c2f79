/** Budgets of exposure while sweeps are sent: what attackers cost the relayer, and that other sweeps go on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { FeeRates } from "../../../src/adapters/memory/orchestrator/FeeValue.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { type Budgets, classOf } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { layer, layerWith, scene } from "../../support/RelayScene.ts"
import { source, type Sweep, sweptLog } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const HOUR = 3_600_000

/** Latest deadline, so that no sweep of a test expires. */
const LATE = 1_800_000_000n

const FINNEY = 10n ** 15n
const GWEI = 10n ** 9n

/** The default budget of unlisted tokens for an hour, in wei. */
const BUDGET = 20n * FINNEY

const ALL = classOf("unlisted", "all", source.id)

/** A scene whose transactions are mined at a price that the test names. */
const spending = Effect.gen(function* () {
  const the = yield* scene
  const intents = yield* Intents
  const cost = { wei: 0n }

  /** Mines every unfinished transaction. Each of its sweeps costs so many wei, and settles or reverts. */
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

  /** Submits a sweep of an unlisted token. Without one, every sweep has a token of its own. */
  const submitUnlisted = (id: string, owner: number, changes: Partial<Sweep> = {}) =>
    Effect.andThen(
      the.chain.setCode(address(owner), designator(source.contracts.delegate)),
      the.submit({
        id,
        owner,
        attributed: { builderId: `bld_${owner}`, payoutMode: "ledger" },
        ...changes,
        order: { nonce: BigInt(owner), tokenIn: address(0x60 + owner), deadline: LATE, ...changes.order }
      })
    )

  const submitListed = (id: string, owner: number, changes: Partial<Sweep> = {}) =>
    Effect.andThen(
      the.chain.setCode(address(owner), designator(source.contracts.delegate)),
      the.submit({ id, owner, ...changes, order: { nonce: BigInt(owner), deadline: LATE, ...changes.order } })
    )

  const alertsOf = Effect.map(the.alerts.list, (standing) =>
    standing.flatMap(({ details, kind }) => (kind === "exposure_spent" ? [details["class"]] : []))
  )

  /** Relays and mines until nothing more is sent. */
  const exhaust = Effect.fnUntraced(function* (status: "success" | "reverted", wei: bigint) {
    for (let sent = 1; sent > 0;) {
      sent = (yield* relay).sent
      yield* conclude(status, wei)
      yield* TestClock.adjust(15_000)
    }
  })

  const statusOf = (id: string) => Effect.map(the.intent(id), ({ status }) => status)

  return { ...the, alertsOf, conclude, cost, exhaust, statusOf, submitListed, submitUnlisted }
})

describe("budgets of exposure", () => {
  it.effect("sweeps that settle and pay with worthless tokens cost no more than their budget", () =>
    Effect.gen(function* () {
      const { alertsOf, conclude, cost, exhaust, statusOf, submitListed, submitUnlisted } = yield* spending
      const token = address(0x77)
      for (const owner of [1, 2, 3, 4, 5, 6]) yield* submitUnlisted(`u${owner}`, owner, { order: { tokenIn: token } })
      yield* exhaust("success", FINNEY)
      // A new token has an eighth of the budget. It is spent after two sweeps of one finney and a half of another.
      assert.strictEqual(cost.wei, 2n * FINNEY)
      assert.deepStrictEqual(yield* alertsOf, [classOf("unlisted", "token_in", source.id, token)])
      assert.strictEqual(yield* statusOf("u6"), "submitted")

      // Other tokens and listed ones go on.
      yield* submitUnlisted("other", 7)
      yield* submitListed("listed", 8)
      assert.strictEqual((yield* relay).sent, 2)
      yield* conclude("success", FINNEY)
      assert.strictEqual(yield* statusOf("other"), "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("sweeps that pay with a new token which sells for their gas cost no budget", () =>
    Effect.gen(function* () {
      const { alertsOf, cost, exhaust, statusOf, submitUnlisted } = yield* spending
      const token = address(0x77)
      yield* Ref.set(yield* FeeRates, new Map([[token, [FINNEY, 1n]]]))
      for (const owner of [1, 2, 3, 4, 5, 6]) yield* submitUnlisted(`u${owner}`, owner, { order: { tokenIn: token } })
      yield* exhaust("success", FINNEY)
      assert.strictEqual(cost.wei, 6n * FINNEY)
      assert.deepStrictEqual(yield* alertsOf, [])
      assert.strictEqual(yield* statusOf("u6"), "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "fresh owners with tokens of their own lose no more than the budget together, and no sweep fails for it",
    () =>
      Effect.gen(function* () {
        const { alertsOf, cost, exhaust, statusOf, submitListed, submitUnlisted } = yield* spending
        const owners = Array.from({ length: 40 }, (_, index) => index + 1)
        for (const owner of owners) yield* submitUnlisted(`u${owner}`, owner)
        yield* exhaust("reverted", FINNEY)
        assert.isTrue(cost.wei > BUDGET / 2n && cost.wei <= BUDGET)
        assert.deepStrictEqual(yield* alertsOf, [ALL])
        assert.strictEqual(yield* statusOf("u40"), "submitted")

        yield* submitListed("listed", 50)
        assert.strictEqual((yield* relay).sent, 1)

        // The hour has passed: the rest is sent, and the alert is cleared.
        yield* TestClock.adjust(2 * HOUR)
        const intents = yield* Intents
        yield* intents.release(["u40"])
        assert.isTrue((yield* relay).sent > 0)
        assert.deepStrictEqual(yield* alertsOf, [])
      }).pipe(Effect.provide(layer))
  )

  it.effect("unlisted tokens leave nine tenths of the daily spend cap to listed ones", () =>
    Effect.gen(function* () {
      const { cost, exhaust, submitListed, submitUnlisted } = yield* spending
      for (const owner of Array.from({ length: 20 }, (_, index) => index + 1)) yield* submitUnlisted(`u${owner}`, owner)
      yield* exhaust("reverted", FINNEY)
      assert.isTrue(cost.wei > 0n && cost.wei <= 3n * FINNEY)
      yield* submitListed("listed", 50)
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 30n * FINNEY })))
  )

  it.effect("failing sweeps with a builder's public key leave the builder's other sweeps alone", () =>
    Effect.gen(function* () {
      const { alertKinds, conclude, statusOf, submitListed, submitUnlisted } = yield* spending
      const attributed = { builderId: "bld_public", payoutMode: "ledger" } as const
      const owners = Array.from({ length: 52 }, (_, index) => index + 1)
      for (const owner of owners) yield* submitListed(`f${owner}`, owner, { attributed })
      yield* relay
      yield* conclude("reverted", FINNEY)
      yield* submitListed("honest", 60, { attributed })
      yield* submitUnlisted("elsewhere", 61)
      assert.strictEqual((yield* relay).sent, 2)
      assert.include(yield* alertKinds, "builder_failing")
      yield* conclude("success", FINNEY / 10n)
      assert.strictEqual(yield* statusOf("honest"), "delivered")

      // The builder may be suspended, so that nothing of it is claimed any more.
      yield* TestClock.adjust(HOUR)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.notInclude(yield* alertKinds, "builder_failing")
    }).pipe(Effect.provide(layer))
  )

  it.effect("an owner whose listed sweeps lost waits until the losses are old, and no other owner does", () =>
    Effect.gen(function* () {
      const { conclude, givenUp, statusOf, submitListed } = yield* spending
      yield* submitListed("a", 1)
      yield* relay
      yield* conclude("reverted", 3n * FINNEY)
      assert.strictEqual(yield* givenUp("a"), "reverted")
      yield* submitListed("b", 1, { order: { nonce: 100n } })
      yield* submitListed("other", 2)
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.strictEqual(yield* statusOf("b"), "submitted")
      assert.isUndefined(yield* givenUp("b"))
      yield* TestClock.adjust(2 * HOUR)
      yield* conclude("success", FINNEY / 10n)
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "an owner bears neither a sweep that settled while gas was dear nor a self-send in place of its sweep",
    () =>
      Effect.gen(function* () {
        const { chain, conclude, submit, submitListed, sweptBefore, unfinished } = yield* spending
        yield* sweptBefore(1)
        yield* submitListed("dear", 1)
        yield* relay
        yield* conclude("success", 3n * FINNEY)
        yield* submitListed("cancelled", 1, { order: { nonce: 100n } })
        yield* relay
        yield* chain.setFees({ baseFeePerGas: 100n * GWEI, maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: GWEI })
        const cover = { gas: 200_000n, gasPrice: 1_000n * GWEI, value: 200_000n * 1_000n * GWEI }
        yield* submit({ id: "rich", owner: 2, cover, order: { nonce: 2n, deadline: LATE } })
        yield* relay
        for (let look = 0; look < 4; look++) {
          yield* TestClock.adjust(15_000)
          yield* tick
        }
        assert.include(
          (yield* unfinished).map(({ kind }) => kind),
          "cancel"
        )
        yield* conclude("reverted", 3n * FINNEY)
        const exposures = yield* Exposures
        const owner = classOf("listed", "owner", source.id, address(1))
        assert.isFalse((yield* exposures.sums([owner])).has(owner))
        const all = classOf("listed", "all", source.id)
        assert.isTrue(((yield* exposures.sums([all])).get(all)?.hour.lost ?? 0n) > 5n * FINNEY)
      }).pipe(Effect.provide(layerWith({ lossBudget: 10n ** 17n })))
  )

  it.effect("a sweep that is given up before it was sent reserves nothing any more", () =>
    Effect.gen(function* () {
      const { givenUp, simulatesRevert, submitUnlisted } = yield* spending
      yield* submitUnlisted("u", 1)
      const exposures = yield* Exposures
      const budgets: Budgets = { unlisted: { hour: BUDGET, day: BUDGET }, listedHour: BUDGET }
      yield* exposures.reserve([{ intentId: "u", classes: [ALL], wei: FINNEY }], budgets)
      yield* simulatesRevert("InsufficientOutput")
      yield* relay
      assert.strictEqual(yield* givenUp("u"), "simulation_failed")
      assert.strictEqual((yield* exposures.sums([ALL])).get(ALL)?.open, 0n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an owner whose sweeps fail too often waits, whatever they cost", () =>
    Effect.gen(function* () {
      const { conclude, givenUp, statusOf, submitListed } = yield* spending
      for (const id of ["a", "b", "c"]) {
        yield* submitListed(id, 1, { order: { nonce: BigInt(id.charCodeAt(0)) } })
        yield* relay
        yield* conclude("reverted", 1n)
        assert.strictEqual(yield* givenUp(id), "reverted")
      }
      yield* submitListed("d", 1, { order: { nonce: 200n } })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* statusOf("d"), "submitted")
      yield* TestClock.adjust(HOUR)
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("with a budget of 0, unlisted tokens wait and listed ones are sent", () =>
    Effect.gen(function* () {
      const { alertKinds, statusOf, submitListed, submitUnlisted } = yield* spending
      yield* submitUnlisted("u", 1)
      yield* submitListed("l", 2)
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.strictEqual(yield* statusOf("u"), "submitted")
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layerWith({ unlistedLossBudget: 0n })))
  )

  it.effect("sweeps of listed tokens whose fees cover them write nothing, and reserve nothing", () =>
    Effect.gen(function* () {
      const { conclude, submitListed, sweptBefore } = yield* spending
      const exposures = yield* Exposures
      yield* sweptBefore(1)
      yield* submitListed("l", 1)
      yield* relay
      yield* conclude("success", FINNEY / 10n)
      assert.deepStrictEqual(yield* exposures.largest(10), [])
    }).pipe(Effect.provide(layer))
  )
})
