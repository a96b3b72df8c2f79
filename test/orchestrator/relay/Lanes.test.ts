/** Lanes that a batch looks at before it is sent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { Hex } from "viem"
import * as RawKeys from "../../../src/adapters/evm/keys/RawKeys.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { attempt } from "../../support/IntentFixtures.ts"
import { DEADLINE, source, START } from "../../support/RelayFixtures.ts"
import { layer, layerWith, onDemandIn, scene, worldOnNodes } from "../../support/RelayScene.ts"
import { tick } from "../../support/SentSweep.ts"

const key = (byte: string) => Redacted.make<Hex>(`0x${byte.repeat(32)}`)
const KEYS = [key("11"), key("22"), key("33")] as const

/** A world with three lanes. Notes the accounts whose balances are read. */
const threeLanes = (looked: Array<Address.Address>) => {
  const noting = (client: ChainClient): ChainClient => ({
    ...client,
    balance: (account) =>
      Effect.suspend(() => {
        looked.push(account)
        return client.balance(account)
      })
  })
  return onDemandIn(Layer.merge(worldOnNodes(noting), RawKeys.layer(KEYS)))
}

const run = Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))

it.effect("a batch looks only at the lane that sends it, and at all lanes every two seconds", () => {
  const looked: Array<Address.Address> = []
  return Effect.gen(function* () {
    const { chain, submit } = yield* scene
    const lanes = (yield* RelayerKeys).lanes(source.id)
    for (const lane of lanes) yield* chain.setBalance(lane, 10n ** 18n)
    yield* submit({ id: "a", owner: 1 })
    yield* run
    assert.includeMembers(looked, [...lanes])

    for (const [index, id] of ["b", "c", "d"].entries()) {
      looked.length = 0
      yield* submit({ id, owner: index + 2 })
      yield* run
      const sent = (yield* (yield* RelayTransactions).unfinished(source.id)).find(
        ({ intentIds }) => intentIds[0] === id
      )
      assert.deepStrictEqual(looked, [sent?.lane])
    }

    looked.length = 0
    yield* TestClock.adjust(2_000)
    yield* submit({ id: "e", owner: 9 })
    yield* run
    assert.includeMembers(looked, [...lanes])
  }).pipe(Effect.provide(threeLanes(looked)))
})

it.effect("another lane sends if the one whose turn it is has run dry", () => {
  const looked: Array<Address.Address> = []
  return Effect.gen(function* () {
    const { alertKinds, chain, submit } = yield* scene
    const [first, second, third] = (yield* RelayerKeys).lanes(source.id)
    if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("no lanes")
    for (const lane of [first, second, third]) yield* chain.setBalance(lane, 10n ** 18n)
    yield* submit({ id: "a", owner: 1 })
    yield* run
    for (const lane of [first, second]) yield* chain.setBalance(lane, 1n)
    for (const [index, id] of ["b", "c", "d"].entries()) {
      yield* submit({ id, owner: index + 2 })
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 1 })
    }
    const senders = (yield* (yield* RelayTransactions).unfinished(source.id)).slice(1).map(({ lane }) => lane)
    assert.deepStrictEqual(senders, [third, third, third])
    assert.deepStrictEqual(yield* alertKinds, ["lane_low", "lane_low"])
  }).pipe(Effect.provide(threeLanes(looked)))
})

/** Three lanes, the first of which has a transaction that no block includes, and what is sent from then on. */
const heldUp = Effect.gen(function* () {
  const { chain, client, submit } = yield* scene
  const transactions = yield* RelayTransactions
  const lanes = (yield* RelayerKeys).lanes(source.id)
  const market = yield* client.feesPerGas
  for (const lane of lanes) yield* chain.setBalance(lane, 10n ** 18n)
  yield* submit({ id: "a", owner: 1 })
  yield* run
  const [first] = yield* transactions.unfinished(source.id)
  // Quoted at a high price.
  const cover = { gas: 200_000n, gasPrice: 10n * market.maxFeePerGas, value: 10n ** 16n }

  /** Sends three sweeps, one by one. Returns the lanes that send them. */
  const senders = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, fromOwner: number) {
    for (const [index, id] of ids.entries()) {
      yield* submit({ id, owner: fromOwner + index, cover })
      yield* run
    }
    const all = yield* transactions.unfinished(source.id)
    return [...new Set(ids.map((id) => all.find(({ intentIds }) => intentIds.includes(id))?.lane))]
  })
  return { chain, first, free: lanes.filter((lane) => lane !== first?.lane), lanes, market, senders }
})

it.effect("no batch waits behind a transaction that no block can include, while another lane is free", () =>
  Effect.gen(function* () {
    const { chain, first, free, lanes, market, senders } = yield* heldUp
    const risen = (first?.attempts[0]?.maxFeePerGas ?? 0n) + 1n
    yield* chain.setFees({ ...market, baseFeePerGas: risen, maxFeePerGas: 3n * risen })
    yield* chain.mine()
    yield* TestClock.adjust(2_000)
    assert.sameMembers(yield* senders(["b", "c", "d"], 2), free)

    yield* chain.setFees(market)
    yield* chain.mine()
    yield* TestClock.adjust(2_000)
    assert.sameMembers(yield* senders(["e", "f", "g"], 5), [...lanes])
  }).pipe(Effect.provide(threeLanes([])))
)

it.effect(
  "no batch waits behind a transaction that was sent after all lanes were looked at, and that no block can include",
  () =>
    Effect.gen(function* () {
      const { chain, client, submit } = yield* scene
      const transactions = yield* RelayTransactions
      const [first, second, third] = (yield* RelayerKeys).lanes(source.id)
      if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("no lanes")
      for (const lane of [first, second, third]) yield* chain.setBalance(lane, 10n ** 18n)
      const market = yield* client.feesPerGas
      const cover = { gas: 200_000n, gasPrice: 10n * market.maxFeePerGas, value: 10n ** 16n }
      const sent = Effect.fnUntraced(function* (id: string, owner: number) {
        yield* submit({ id, owner, cover })
        yield* run
        return (yield* transactions.unfinished(source.id)).find(({ intentIds }) => intentIds.includes(id))
      })

      const a = yield* sent("a", 1)
      yield* TestClock.adjust(2_000)
      // All lanes are looked at before this one is sent, so its transaction is not seen then.
      const b = yield* sent("b", 2)
      assert.deepStrictEqual([a?.lane, b?.lane], [first, second])

      const risen = 1n + (b?.attempts[0]?.maxFeePerGas ?? 0n)
      yield* chain.setFees({ ...market, baseFeePerGas: risen, maxFeePerGas: 3n * risen })
      yield* chain.mine()
      yield* TestClock.adjust(500)
      const next = yield* Effect.forEach(["c", "d", "e"], (id, index) => sent(id, 3 + index))
      assert.deepStrictEqual(
        next.map((transaction) => transaction?.lane),
        [third, third, third]
      )
    }).pipe(Effect.provide(threeLanes([])))
)

it.effect("no batch waits behind a transaction that should have been replaced, while another lane is free", () =>
  Effect.gen(function* () {
    const { free, senders } = yield* heldUp
    yield* TestClock.adjust("45 seconds")
    assert.sameMembers(yield* senders(["b", "c", "d"], 2), free)
  }).pipe(Effect.provide(threeLanes([])))
)

describe("the pending transactions of a lane", () => {
  /** Sends one sweep after the other while nothing is mined. */
  const sentOneByOne = Effect.fnUntraced(function* (count: number) {
    const the = yield* scene
    for (let owner = 1; owner <= count; owner++) {
      yield* the.submit({ id: `sweep-${owner}`, owner })
      yield* run
    }
    return the
  })

  it.effect(
    "are at most fifteen. Further sweeps gather in the queue, and go together once a block has some of them",
    () =>
      Effect.gen(function* () {
        const { chain, lane, unfinished } = yield* sentOneByOne(20)
        assert.lengthOf(yield* unfinished, 15)
        assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })

        yield* chain.mine()
        yield* chain.setTransactionCount(lane, 3n)
        assert.deepStrictEqual(yield* run, { claimed: 5, sent: 5 })
        const newest = (yield* unfinished).at(-1)
        assert.deepStrictEqual(newest?.nonce, 15n)
        assert.lengthOf(newest?.intentIds ?? [], 5)
      }).pipe(Effect.provide(layer))
  )

  it.effect("cost no requests to the node while no block comes, in any number of looks", () => {
    const asked: Array<string> = []
    const noting = (client: ChainClient): ChainClient => ({
      ...client,
      balance: (account) =>
        Effect.andThen(
          Effect.sync(() => asked.push("balance")),
          client.balance(account)
        )
    })
    return Effect.gen(function* () {
      yield* sentOneByOne(16)
      asked.length = 0
      yield* Effect.repeat(run, { times: 9 })
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.provide(onDemandIn(worldOnNodes(noting))))
  })

  it.effect("are counted with those that other processes sent", () =>
    Effect.gen(function* () {
      const { lane, submit, unfinished } = yield* scene
      const transactions = yield* RelayTransactions
      yield* submit({ id: "a", owner: 1 })
      yield* run
      const sign = (nonce: bigint) => Effect.succeed({ ...attempt(`other ${nonce}`), maxFeePerGas: 10n ** 10n })
      for (let others = 0; others < 14; others++) {
        yield* transactions.allocate({ chainId: source.id, lane, chainNonce: 0n, intentIds: [], sign })
      }
      yield* submit({ id: "b", owner: 2 })
      // This process does not know of them yet, and the store refuses the sixteenth.
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 0 })
      assert.lengthOf(yield* unfinished, 15)
      yield* submit({ id: "c", owner: 3 })
      assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("leave the other lanes theirs", () =>
    Effect.gen(function* () {
      const { chain, submit, unfinished } = yield* scene
      const lanes = (yield* RelayerKeys).lanes(source.id)
      for (const lane of lanes) yield* chain.setBalance(lane, 10n ** 18n)
      for (let owner = 1; owner <= 50; owner++) {
        yield* submit({ id: `sweep-${owner}`, owner })
        yield* run
      }
      const sent = (yield* unfinished).map(({ lane }) => lane)
      assert.deepStrictEqual(
        lanes.map((lane) => sent.filter((each) => each === lane).length),
        [15, 15, 15]
      )
    }).pipe(Effect.provide(threeLanes([])))
  )

  it.effect("can be replaced and cancelled at any number", () =>
    Effect.gen(function* () {
      const { chain, client, unfinished } = yield* sentOneByOne(16)
      const market = yield* client.feesPerGas
      const attempts = Effect.map(unfinished, (all) => all.map((each) => each.attempts.length))
      yield* chain.setFees({ ...market, maxFeePerGas: (market.maxFeePerGas * 11n) / 10n })
      yield* TestClock.adjust("45 seconds")
      assert.strictEqual((yield* tick).replaced, 1)
      assert.deepStrictEqual(yield* attempts, [2, ...Array.from({ length: 14 }, () => 1)])
      yield* chain.mine([], DEADLINE - START + 1n)
      assert.strictEqual((yield* tick).replaced, 15)
      assert.deepStrictEqual(
        (yield* unfinished).map(({ kind }) => kind),
        Array.from({ length: 15 }, () => "cancel")
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("the balance of a lane", () => {
  it.effect("is not promised twice: pending transactions keep what they may cost", () =>
    Effect.gen(function* () {
      const { chain, client, lane, submit, unfinished } = yield* scene
      const { maxFeePerGas } = yield* client.feesPerGas
      const balance = 4_000_000n * maxFeePerGas
      yield* chain.setBalance(lane, balance)
      for (let round = 0; round < 6; round++) {
        for (let owner = 1; owner <= 8; owner++) {
          yield* submit({ id: `sweep-${round}-${owner}`, owner: 8 * round + owner })
        }
        yield* run
      }
      const sent = yield* unfinished
      const costs = sent.map(({ attempts: [first] }) => {
        const { gas } = parse(first?.raw ?? "0x")
        return gas * (first?.maxFeePerGas ?? 0n)
      })
      assert.isAbove(sent.length, 1)
      assert.isTrue(costs.reduce((sum, cost) => sum + cost, 0n) <= balance)

      yield* chain.mine()
      yield* chain.setTransactionCount(lane, BigInt(sent.length))
      yield* TestClock.adjust(3_000)
      assert.isAbove((yield* run).sent, 1)
    }).pipe(Effect.provide(layerWith({ minLaneBalance: 10n ** 14n })))
  )
})
