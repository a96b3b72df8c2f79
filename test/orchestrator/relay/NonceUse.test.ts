/** Nonces that a lane does not use because it cannot pay, and sweeps that no node took. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, type Hex } from "viem"
import * as RawKeys from "../../../src/adapters/evm/keys/RawKeys.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { type ChainClient, ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { attempt } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layer, onDemandIn, scene, world, worldOnNodes } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { crowd } from "./crowd.ts"

const RICH = 10n ** 18n

const key = (byte: string) => Redacted.make<Hex>(`0x${byte.repeat(32)}`)

const threeLanes = onDemandIn(Layer.merge(world, RawKeys.layer([key("11"), key("22"), key("33")])))

/** A gas price at which the minimum balance of a lane does not pay for a sweep, and a sweep that was quoted at that price. */
const dear = Effect.gen(function* () {
  const the = yield* scene
  const { chain, client, submit } = the
  const market = yield* client.feesPerGas
  const maxFeePerGas = 10n ** 11n
  yield* chain.setFees({ ...market, baseFeePerGas: maxFeePerGas / 3n, maxFeePerGas })
  const cover = { gas: 200_000n, gasPrice: maxFeePerGas, value: 10n ** 17n }
  const cheapen = Effect.andThen(
    chain.setFees({ ...market, baseFeePerGas: 10n ** 9n, maxFeePerGas: 3n * 10n ** 9n }),
    chain.mine()
  )
  const lows = Effect.map(the.alerts.list, (all) => all.filter(({ kind }) => kind === "lane_low"))
  return { ...the, cheapen, lows, sweep: (id: string, owner: number) => submit({ id, owner, cover }) }
})

/** At least the minimum balance, and less than a sweep may cost. */
const POOR = 10n ** 16n

describe("a lane that holds its minimum, and less than a sweep may cost", () => {
  it.effect("uses no nonce for the sweep, and alerts until it is refilled", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, lane, lows, sent, sweep, unfinished } = yield* dear
      yield* chain.setBalance(lane, POOR)
      yield* sweep("a", 1)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.lengthOf(yield* unfinished, 0)
      const [raised] = yield* lows
      assert.deepInclude(raised?.details, { chainId: source.id, lane })
      for (let round = 0; round < 40; round++) {
        // Until then the sweep is not claimed again.
        assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
        yield* TestClock.adjust(3_000)
        assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
        assert.deepStrictEqual(
          (yield* lows).map(({ id }) => id),
          [raised?.id]
        )
      }
      assert.lengthOf(yield* sent, 0)

      yield* chain.setBalance(lane, RICH)
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(
        (yield* unfinished).map(({ nonce }) => nonce),
        [0n]
      )
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "leaves the sweep to a richer lane, and its alert ends when no sweep has met the shortage for half an hour",
    () =>
      Effect.gen(function* () {
        const { alertKinds, chain, cheapen, lows, submit, sweep, unfinished } = yield* dear
        const [first, second, third] = (yield* RelayerKeys).lanes(source.id)
        if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("no lanes")
        // While another lane can pay, the poor one has no turn.
        for (const poor of [first, second, third]) yield* chain.setBalance(poor, POOR)
        yield* sweep("a", 1)
        assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
        yield* chain.setBalance(second, RICH)
        yield* TestClock.adjust(3_000)
        assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
        assert.deepStrictEqual(
          (yield* unfinished).map(({ lane }) => lane),
          [second]
        )
        assert.deepStrictEqual(
          (yield* lows).map(({ details }) => details["lane"]),
          [first]
        )

        // A sweep that needs less does not end it.
        const [raised] = yield* lows
        yield* cheapen
        yield* TestClock.adjust("2 minutes")
        yield* submit({ id: "b", owner: 2 })
        assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
        yield* TestClock.adjust("27 minutes")
        yield* relay
        assert.deepStrictEqual(
          (yield* lows).map(({ id }) => id),
          [raised?.id]
        )
        yield* TestClock.adjust("1 minute")
        yield* relay
        assert.deepStrictEqual(yield* alertKinds, [])
      }).pipe(Effect.provide(threeLanes))
  )

  /** Raises the alert, and leaves the queue empty. */
  const shortOnce = Effect.gen(function* () {
    const the = yield* dear
    yield* the.chain.setBalance(the.lane, POOR)
    yield* the.sweep("a", 1)
    assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
    yield* (yield* Intents).apply("a", [{ _tag: "Failed", reason: "expired" }])
    assert.lengthOf(yield* the.lows, 1)
    return the
  })

  it.effect("has no alert a minute after its refill, also if no sweep waits", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, lane } = yield* shortOnce
      yield* chain.setBalance(lane, RICH)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no alert half an hour after its last shortage, also if no sweep waits", () =>
    Effect.gen(function* () {
      const { alertKinds, lows } = yield* shortOnce
      yield* TestClock.adjust("29 minutes")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.lengthOf(yield* lows, 1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps its alert while its node does not answer, which is no failure if no sweep waits", () => {
    const node = { isAway: false }
    const away = new ChainUnavailable({ chainId: source.id, method: "eth_getBalance", detail: "away" })
    const unreliable = (client: ChainClient): ChainClient => ({
      ...client,
      balance: (account) => Effect.suspend(() => (node.isAway ? Effect.fail(away) : client.balance(account)))
    })
    return Effect.gen(function* () {
      const { alertKinds, chain, lane, lows } = yield* shortOnce
      yield* chain.setBalance(lane, RICH)
      node.isAway = true
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.lengthOf(yield* lows, 1)
      node.isAway = false
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(onDemandIn(worldOnNodes(unreliable))))
  })

  it.effect("still sends what it can pay for", () =>
    Effect.gen(function* () {
      const { chain, cheapen, lane, lows, submit, sweep } = yield* dear
      yield* chain.setBalance(lane, POOR)
      yield* sweep("a", 1)
      yield* relay
      yield* cheapen
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.lengthOf(yield* lows, 1)
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep that leaves its transaction", () => {
  it.effect("has no hash if every node refused the versions with it", () =>
    Effect.gen(function* () {
      const { accepted, hostile, intent } = yield* crowd(4)
      hostile.add(2)
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 3 })
      assert.isUndefined((yield* intent("s2")).txHash)
      const hashes: ReadonlyArray<string | undefined> = accepted.map((raw) => keccak256(raw))
      for (const id of ["s1", "s3", "s4"]) assert.include(hashes, (yield* intent(id)).txHash)

      hostile.clear()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.strictEqual((yield* intent("s2")).txHash, keccak256(accepted.at(-1) ?? "0x"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no hash if a self-send used the nonce", () =>
    Effect.gen(function* () {
      const { hostile, intent } = yield* crowd(1)
      hostile.add(1)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined((yield* intent("s1")).txHash)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps its hash while a node may have the transaction", () =>
    Effect.gen(function* () {
      const { chain, intent, unfinished } = yield* crowd(2)
      let offers = 0
      yield* chain.onSend(() =>
        offers++ === 0
          ? Effect.fail(new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail: "busy" }))
          : Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_sendRawTransaction", detail: "away" }))
      )
      yield* relay
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds.length),
        [2]
      )
      for (const id of ["s1", "s2"]) assert.isDefined((yield* intent(id)).txHash)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps a hash if an earlier transaction had it", () =>
    Effect.gen(function* () {
      const { hostile, intent, lane } = yield* crowd(2)
      const transactions = yield* RelayTransactions
      const earlier = yield* transactions.allocate({
        chainId: source.id,
        lane,
        chainNonce: 0n,
        intentIds: ["s2"],
        sign: () => Effect.succeed(attempt("earlier"))
      })
      yield* transactions.finalize([{ id: earlier.id }])
      hostile.add(2)
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.isDefined((yield* intent("s2")).txHash)
    }).pipe(Effect.provide(layer))
  )
})
