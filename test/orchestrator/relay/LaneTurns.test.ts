/** Lanes that can pay for a sweep go before those that cannot. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { type Hex, keccak256 } from "viem"
import * as RawKeys from "../../../src/adapters/evm/keys/RawKeys.ts"
import type * as Address from "../../../src/domain/Address.ts"
import * as LaneShortages from "../../../src/orchestrator/relay/LaneShortages.ts"
import { laneShort } from "../../../src/orchestrator/shared/LaneAlerts.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { source } from "../../support/RelayFixtures.ts"
import { onDemandIn, scene, worldOnNodes } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const RICH = 10n ** 18n

/** At least the minimum balance, and less than a sweep may cost at the scene's fees. */
const POOR = 10n ** 16n

const key = (byte: string) => Redacted.make<Hex>(`0x${byte.repeat(32)}`)

/** A world with three lanes. Notes the accounts whose balances are read. */
const threeLanes = (looked: Array<Address.Address> = []) => {
  const noting = (client: ChainClient): ChainClient => ({
    ...client,
    balance: (account) => Effect.suspend(() => (looked.push(account), client.balance(account)))
  })
  return onDemandIn(Layer.merge(worldOnNodes(noting), RawKeys.layer([key("11"), key("22"), key("33")])))
}

/** Fees at which a poor lane cannot pay for a sweep. `senderOf(id)` sends one at these fees, and returns its lane. */
const dear = Effect.gen(function* () {
  const { alerts, chain, client, submit } = yield* scene
  const [first, second, third] = (yield* RelayerKeys).lanes(source.id)
  if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("no lanes")
  const market = yield* client.feesPerGas
  const maxFeePerGas = 10n ** 11n
  yield* chain.setFees({ ...market, baseFeePerGas: maxFeePerGas / 3n, maxFeePerGas })
  const cover = { gas: 200_000n, gasPrice: maxFeePerGas, value: 10n ** 17n }
  let owners = 0
  const senderOf = Effect.fnUntraced(function* (id: string) {
    yield* submit({ id, owner: ++owners, cover, order: { deadline: 1_800_000_000n } })
    yield* relay
    const all = yield* (yield* RelayTransactions).unfinished(source.id)
    return all.find(({ intentIds }) => intentIds.includes(id))?.lane
  })
  const balances = (wei: ReadonlyArray<bigint>) =>
    Effect.forEach([first, second, third], (lane, index) => chain.setBalance(lane, wei[index] ?? 0n))
  return { alerts, balances, chain, client, first, market, second, senderOf, third }
})

const NAMES = ["a", "b", "c", "d", "e", "f"] as const

describe("a lane too poor for a sweep", () => {
  it.effect("takes no turn while another can pay, from the first sweep on", () =>
    Effect.gen(function* () {
      const { alerts, balances, second, senderOf, third } = yield* dear
      yield* balances([POOR, RICH, RICH])
      const senders = yield* Effect.forEach(NAMES, senderOf)
      assert.notInclude(senders, undefined)
      assert.sameMembers([...new Set(senders)], [second, third])
      assert.deepStrictEqual(yield* alerts.list, [])
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("has its turns again two seconds after a refill, and costs no further requests", () => {
    const looked: Array<Address.Address> = []
    return Effect.gen(function* () {
      const { balances, chain, first, second, senderOf, third } = yield* dear
      yield* balances([POOR, RICH, RICH])
      assert.isDefined(yield* senderOf("a"))
      looked.length = 0
      const sender = yield* senderOf("b")
      assert.deepStrictEqual(looked, [sender])
      yield* chain.setBalance(first, RICH)
      yield* TestClock.adjust(2_000)
      const senders = yield* Effect.forEach(["c", "d", "e"], senderOf)
      assert.sameMembers(senders, [first, second, third])
    }).pipe(Effect.provide(threeLanes(looked)))
  })

  it.effect("is looked at again, as all others, after the clock was set back", () => {
    const looked: Array<Address.Address> = []
    return Effect.gen(function* () {
      yield* TestClock.adjust(7_200_000)
      const { balances, senderOf } = yield* dear
      yield* balances([RICH, RICH, RICH])
      assert.isDefined(yield* senderOf("a"))
      looked.length = 0
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 3_600_000)
      assert.isDefined(yield* senderOf("b"))
      assert.strictEqual(new Set(looked).size, 3)
    }).pipe(Effect.provide(threeLanes(looked)))
  })

  it.effect("takes no turn for a sweep that another lane was short for, as all replicas know by its alert", () =>
    Effect.gen(function* () {
      const { alerts, balances, chain, client, first, market, second, senderOf, third } = yield* dear
      yield* balances([RICH, RICH, RICH])
      // A cheap sweep is no measure of a dear one.
      const fees = yield* client.feesPerGas
      yield* chain.setFees(market)
      yield* senderOf("a")
      yield* chain.setFees(fees)
      yield* TestClock.adjust(2_000)
      yield* balances([RICH, POOR, POOR])
      const atMs = yield* Clock.currentTimeMillis
      yield* alerts.raise(laneShort(source, third, { balance: POOR, needed: 2n * POOR, atMs }))
      yield* TestClock.adjust(2_000)
      const senders = yield* Effect.forEach(["b", "c", "d"], senderOf)
      assert.deepStrictEqual(senders, [first, first, first])
      assert.lengthOf(yield* alerts.list, 1)
      // The shortage ends with the refill of its lane.
      yield* balances([RICH, RICH, RICH])
      yield* TestClock.adjust(10_000)
      assert.sameMembers(yield* Effect.forEach(["e", "f", "g"], senderOf), [first, second, third])
      assert.deepStrictEqual(yield* alerts.list, [])
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect.each([
    { name: "as dear a sweep that another lane sends", isDear: true },
    { name: "a cheaper one", isDear: false }
  ])("keeps its alert for half an hour after $name: $isDear", ({ isDear }) =>
    Effect.gen(function* () {
      const { alerts, balances, chain, first, market, second, senderOf } = yield* dear
      yield* balances([RICH, POOR, POOR])
      const atMs = yield* Clock.currentTimeMillis
      yield* alerts.raise(laneShort(source, second, { balance: POOR, needed: 2n * POOR, atMs }))
      const [raised] = yield* alerts.list
      yield* TestClock.adjust("29 minutes")
      if (!isDear) yield* chain.setFees(market)
      assert.strictEqual(yield* senderOf("a"), first)
      // An idle chain is looked at once a minute while an alert stands.
      yield* TestClock.adjust("2 minutes")
      yield* relay
      const standing = yield* alerts.list
      assert.deepStrictEqual(
        standing
          .filter(({ key }) => key === raised?.key)
          .map(({ message, sinceMs, severity }) => [message, sinceMs, severity]),
        isDear ? [[raised?.message, raised?.sinceMs, raised?.severity]] : []
      )
      yield* TestClock.adjust("30 minutes")
      yield* relay
      assert.notInclude(
        (yield* alerts.list).map(({ key }) => key),
        raised?.key
      )
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("has its alert renewed at most once a minute", () =>
    Effect.gen(function* () {
      const { alerts, balances, first, second, senderOf } = yield* dear
      yield* balances([RICH, POOR, POOR])
      const atMs = yield* Clock.currentTimeMillis
      yield* alerts.raise(laneShort(source, second, { balance: POOR, needed: 2n * POOR, atMs }))
      const renewed: Array<unknown> = []
      for (const [id, seconds] of [
        ["a", 30],
        ["b", 32],
        ["c", 12]
      ] as const) {
        yield* TestClock.adjust(seconds * 1_000)
        assert.strictEqual(yield* senderOf(id), first)
        const [standing] = yield* alerts.list
        renewed.push(Number(standing?.details["shortAtMs"]) - atMs)
      }
      assert.deepStrictEqual(renewed, [0, 62_000, 62_000])
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("sends what it can pay for if no lane can pay for more", () =>
    Effect.gen(function* () {
      const { alerts, balances, chain, first, market, second, senderOf, third } = yield* dear
      yield* balances([POOR, POOR, POOR])
      assert.isUndefined(yield* senderOf("a"))
      assert.lengthOf(yield* alerts.list, 1)
      yield* chain.setFees(market)
      yield* TestClock.adjust(2_000)
      assert.sameMembers(yield* Effect.forEach(["b", "c", "d"], senderOf), [first, second, third])
    }).pipe(Effect.provide(threeLanes()))
  )
})

describe("the alert of a lane that was short two minutes ago", () => {
  /** `sinceFirst` returns the time from that shortage to the newest one in the alert, in milliseconds. Undefined without an alert. */
  const short = Effect.gen(function* () {
    const given = yield* dear
    const atMs = yield* Clock.currentTimeMillis
    yield* given.balances([RICH, POOR, POOR])
    yield* given.alerts.raise(laneShort(source, given.second, { balance: POOR, needed: 2n * POOR, atMs }))
    yield* TestClock.adjust("2 minutes")
    const sinceFirst = Effect.map(given.alerts.list, ([alert]) =>
      alert === undefined ? undefined : Number(alert.details["shortAtMs"]) - atMs
    )
    const leaves = (yield* LaneBook).move(given.second, "active", "draining", {
      actor: "",
      action: "",
      subject: given.second,
      details: {}
    })
    /** The first lane renews shortages after it has stored a transaction that the second one cannot pay for. */
    const renew = Effect.flatMap(LaneShortages.makeRenew, (renewShortages) =>
      renewShortages(source, { lane: given.first, wei: 3n * POOR })
    )
    return { ...given, leaves, renew, sinceFirst }
  })

  /** Holds the next transaction back when its bytes are stored, until `go`. Nodes accept it and all others. */
  const holding = Effect.fnUntraced(function* (chain: Effect.Success<typeof dear>["chain"]) {
    const [stored, going] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    yield* chain.onSend((raw) =>
      Effect.gen(function* () {
        if (yield* Deferred.succeed(stored, undefined)) yield* Deferred.await(going)
        return keccak256(raw)
      })
    )
    return { go: Deferred.succeed(going, undefined), stored: Deferred.await(stored) }
  })

  it.effect("is renewed while the lane is in use, and not when it has left", () =>
    Effect.gen(function* () {
      const { leaves, renew, sinceFirst } = yield* short
      yield* renew
      assert.strictEqual(yield* sinceFirst, 120_000)
      yield* TestClock.adjust("2 minutes")
      yield* leaves
      yield* renew
      assert.strictEqual(yield* sinceFirst, 120_000)
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("ends with the next look at all lanes when the lane has left", () =>
    Effect.gen(function* () {
      const { alerts, leaves, first, senderOf } = yield* short
      yield* leaves
      assert.strictEqual(yield* senderOf("a"), first)
      assert.deepStrictEqual(yield* alerts.list, [])
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("is not raised again by a renewal if it is cleared meanwhile", () =>
    Effect.gen(function* () {
      const { alerts, renew } = yield* short
      yield* renew.pipe(
        Effect.updateService(Alerts, (own) => ({
          ...own,
          list: Effect.tap(own.list, (all) => Effect.forEach(all, ({ key }) => own.clear(key)))
        }))
      )
      assert.deepStrictEqual(yield* alerts.list, [])
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("is renewed by as dear a transaction, also if another lane stores a cheap one at the same time", () =>
    Effect.gen(function* () {
      const { balances, chain, first, market, senderOf, sinceFirst, third } = yield* short
      const { go, stored } = yield* holding(chain)
      const dearest = yield* Effect.forkChild(senderOf("a"))
      yield* stored
      yield* balances([POOR, POOR, RICH])
      yield* chain.setFees(market)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* senderOf("b"), third)
      assert.strictEqual(yield* sinceFirst, 0)
      yield* go
      assert.strictEqual(yield* Fiber.join(dearest), first)
      assert.strictEqual(yield* sinceFirst, 122_000)
    }).pipe(Effect.provide(threeLanes()))
  )

  it.effect("is not renewed when the lane itself sends, also if another one stores a cheap transaction then", () =>
    Effect.gen(function* () {
      const { balances, chain, client, first, market, second, senderOf, sinceFirst } = yield* short
      const { go, stored } = yield* holding(chain)
      const fees = yield* client.feesPerGas
      yield* chain.setFees(market)
      const cheap = yield* Effect.forkChild(senderOf("a"))
      yield* stored
      yield* balances([POOR, RICH, POOR])
      yield* chain.setFees(fees)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* senderOf("b"), second)
      assert.strictEqual(yield* sinceFirst, 0)
      yield* TestClock.adjust("10 seconds")
      yield* go
      assert.strictEqual(yield* Fiber.join(cheap), first)
      assert.strictEqual(yield* sinceFirst, 0)
    }).pipe(Effect.provide(threeLanes()))
  )
})
