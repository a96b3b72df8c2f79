/** The fee recipient of a chain changed with its contracts while a sale of collected fees was under way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex, pad } from "viem"
import * as MoneyBook from "../../../src/adapters/memory/orchestrator/MoneyBook.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Deployment } from "../../../src/domain/Chain.ts"
import { classOf } from "../../../src/domain/Exposure.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { added, NONE } from "../../../src/domain/Money.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { MoneyBook as Money } from "../../../src/ports/orchestrator/MoneyBook.ts"
import { CallReverted, type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { isolated, series } from "../../support/Metrics.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { booked, relay, sentSweep, tick } from "../../support/SentSweep.ts"

const former = source.contracts
const current: Deployment = { delegate: address(0x71), guard: address(0x72), entry: address(0x73) }

const FEE = { usd: "1.5", amount: 5_000n }

const [BEFORE, NOW] = [address(0xf0), address(0xf1)]

/** Nodes of the chain, whose former delegate answers as `answer` says. Counts the reads of its fee recipient. */
const replaced = () => {
  const state: { reads: number; answer: ReturnType<ChainClient["call"]> } = {
    reads: 0,
    answer: Effect.succeed(pad(BEFORE, { size: 32 }))
  }
  const nodes = layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, contracts: current, earlierContracts: [former], feeRecipient: NOW },
    code: (account) => (account === current.entry ? Effect.succeed("0xfe") : client.code(account)),
    call: (request) => {
      if (request.to === current.guard) return Effect.succeed(numberToHex(0, { size: 32 }))
      if (request.to !== former.delegate) return client.call(request)
      return Effect.suspend(() => {
        state.reads += 1
        return state.answer
      })
    }
  }))
  return { nodes, state }
}

/** Settles a sweep of an account to itself under these contracts. Returns the number of lines that were booked. */
const settled = Effect.fnUntraced(function* (owner: Address.Address, contracts: Deployment) {
  const the = yield* sentSweep({
    owner: Number(BigInt(owner) & 0xffn),
    order: { owner, destination: owner, nonce: bound(contracts.guard, 7n), builderFee: 0n },
    quote: { feeBreakdown: { protocol: FEE, network: FEE, builder: FEE } },
    submission: { address: contracts.delegate }
  })
  yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { guard: contracts.guard })] })
  the.state.spentNonces.add(the.order.order.nonce)
  yield* the.bury(2)
  yield* tick
  return the
})

const SILENCE = new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "silent" })

/** A sent sweep of the former fee recipient to itself, under the former contracts. */
const sentSale = sentSweep({
  owner: 0xf0,
  order: { owner: BEFORE, destination: BEFORE, nonce: bound(former.guard, 7n), builderFee: 0n },
  submission: { address: former.delegate }
})

type Sale = Effect.Success<typeof sentSale>

const mine = (the: Sale) =>
  Effect.gen(function* () {
    yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { guard: former.guard })] })
    the.state.spentNonces.add(the.order.order.nonce)
    yield* the.bury(2)
  })

/** Asserts that the sale is booked as one that paid its part of the gas. */
const assertPaid = Effect.gen(function* () {
  const sums = (yield* (yield* Money).since(0)).chains.reduce(added, NONE)
  assert.deepStrictEqual([sums.sweeps, sums.failed, sums.failures], [1, 0, 0n])
  const owner = classOf("unlisted", "owner", source.id, BEFORE)
  const booking = (yield* (yield* Exposures).sums([owner])).get(owner)
  assert.isAtLeast(Number(booking?.hour.earned ?? 0n), Number(booking?.hour.lost ?? 0n))
})

describe("a sweep of a fee recipient to itself", () => {
  it.effect.each([
    ["no revenue if the contracts that it was quoted for pay it", BEFORE, former, 0],
    ["no revenue if the current contracts pay it", NOW, current, 0],
    ["revenue if it is the present one, and the contracts pay the former one", NOW, former, 1],
    ["revenue if it is the former one, and the contracts pay the present one", BEFORE, current, 1]
  ] as const)("is %s", ([, owner, contracts, lines]) => {
    const { nodes } = replaced()
    const earned = Effect.gen(function* () {
      const { status } = yield* settled(owner, contracts)
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* booked, lines)
      return yield* series("sweep_fees_earned_usd_total")
    })
    return Effect.gen(function* () {
      const found = yield* isolated(Effect.provide(earned, nodes))
      assert.strictEqual(
        found.some((line) => line.includes('fee="protocol"')),
        lines === 1
      )
    })
  })

  it.effect.each([
    [
      "no node tells whom its contracts pay",
      Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "silent" }))
    ],
    ["the node does not have its contracts", Effect.succeed<Hex>("0x")]
  ] as const)("waits while %s", ([, silence]) => {
    const { nodes, state } = replaced()
    const { answer } = state
    state.answer = silence
    return Effect.gen(function* () {
      const { givenUp, status, unfinished } = yield* settled(BEFORE, former)
      assert.isUndefined(yield* givenUp("a"))
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* booked, [])
      state.answer = answer
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* booked, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is a sale of the present fee recipient if its contracts tell none", () => {
    const { nodes, state } = replaced()
    state.answer = Effect.fail(new CallReverted({ chainId: source.id, data: "0x", detail: "no such function" }))
    return Effect.gen(function* () {
      const { status } = yield* settled(NOW, former)
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* booked, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("asks nothing about sweeps to other accounts", () => {
    const { nodes, state } = replaced()
    return Effect.gen(function* () {
      const { attempt, bury, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.strictEqual(state.reads, 0)
    }).pipe(Effect.provide(nodes))
  })
})

describe("a settled sale while no node tells whom its contracts pay", () => {
  const stage = () => {
    const { nodes, state } = replaced()
    return { nodes: Layer.merge(nodes, MoneyBook.layer), state }
  }

  it.effect("waits if only the first read of a round fails, and has paid its part of the gas", () => {
    const { nodes, state } = stage()
    const { answer } = state
    state.answer = Effect.suspend(() => (state.reads === 1 ? Effect.fail(SILENCE) : answer))
    return Effect.gen(function* () {
      const the = yield* sentSale
      yield* mine(the)
      yield* tick
      assert.lengthOf(yield* the.unfinished, 1)
      yield* tick
      assert.strictEqual(yield* the.status, "delivered")
      assert.lengthOf(yield* the.unfinished, 0)
      yield* assertPaid
    }).pipe(Effect.provide(nodes))
  })

  it.effect("keeps its transaction after another process has settled it", () => {
    const { nodes, state } = stage()
    const { answer } = state
    state.answer = Effect.fail(SILENCE)
    return Effect.gen(function* () {
      const the = yield* sentSale
      yield* mine(the)
      yield* (yield* Intents).apply("a", [
        { _tag: "SettledAtSource", txHash: the.attempt.hash },
        { _tag: "Delivered", txHash: the.attempt.hash }
      ])
      yield* tick
      assert.lengthOf(yield* the.unfinished, 1)
      state.answer = answer
      yield* tick
      assert.lengthOf(yield* the.unfinished, 0)
      const sums = (yield* (yield* Money).since(0)).chains.reduce(added, NONE)
      assert.deepStrictEqual([sums.failed, sums.failures], [0, 0n])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not called lost by a process that starts after a reorganisation, when it settles again", () => {
    const { nodes, state } = stage()
    const { answer } = state
    return Effect.gen(function* () {
      const the = yield* sentSale
      yield* mine(the)
      yield* tick
      assert.strictEqual(yield* the.status, "delivered")
      assert.lengthOf(yield* the.unfinished, 0)
      yield* the.chain.reorg(3)
      yield* the.chain.setTransactionCount(the.lane, 0n)
      yield* the.bury(4)
      yield* tick
      assert.lengthOf(yield* the.unfinished, 1)
      yield* mine(the)
      state.answer = Effect.fail(SILENCE)
      const restarted = Effect.gen(function* () {
        yield* tick
        assert.notInclude(yield* the.alertKinds, "settlement_lost")
        assert.lengthOf(yield* the.unfinished, 1)
        state.answer = answer
        yield* tick
        assert.notInclude(yield* the.alertKinds, "settlement_lost")
        assert.lengthOf(yield* the.unfinished, 0)
      })
      yield* restarted.pipe(Effect.provide(Layer.fresh(Watcher.layerOnDemand)))
    }).pipe(Effect.provide(nodes))
  })

  it.effect("frees the other sweeps of its transaction, and reads each delegate once for all of them", () => {
    const { nodes, state } = stage()
    const { answer } = state
    state.answer = Effect.fail(SILENCE)
    return Effect.gen(function* () {
      const { bury, givenUp, intent, mineLane, pending, submit } = yield* scene
      const submitted = Effect.fnUntraced(function* (id: string, owner: number) {
        const self = address(owner)
        const nonce = bound(former.guard, BigInt(owner))
        return yield* submit({
          id,
          owner,
          order: { owner: self, destination: self, nonce, builderFee: 0n },
          submission: { address: former.delegate }
        })
      })
      const sales = [yield* submitted("one", 0xf0), yield* submitted("two", 0xf2)]
      yield* submitted("bad", 0xf3)
      yield* relay
      const [attempt] = (yield* pending).attempts
      const logs = sales.map((sale) => sweptLog(sale, { guard: former.guard }))
      yield* mineLane({ hash: attempt?.hash ?? "0x", logs })
      yield* bury(2)
      const { unavailableChains } = yield* tick
      assert.deepStrictEqual(unavailableChains, [source.id])
      assert.strictEqual(state.reads, 1)
      assert.isDefined(yield* givenUp("bad"))
      assert.deepStrictEqual([...(yield* pending).intentIds].toSorted(), ["one", "two"])
      state.answer = answer
      yield* tick
      assert.deepStrictEqual([(yield* intent("one")).status, (yield* intent("two")).status], ["delivered", "delivered"])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("delays a round by no more than two seconds", () => {
    const { nodes, state } = stage()
    return Effect.gen(function* () {
      const the = yield* sentSale
      state.answer = Effect.never
      yield* mine(the)
      const round = yield* Effect.forkChild(tick)
      yield* TestClock.adjust(1_999)
      assert.isUndefined(round.pollUnsafe())
      yield* TestClock.adjust(1)
      const { unavailableChains } = yield* Fiber.join(round)
      assert.deepStrictEqual(unavailableChains, [source.id])
      assert.lengthOf(yield* the.unfinished, 1)
    }).pipe(Effect.provide(nodes))
  })
})
