/** The fee recipient of a chain changed with its contracts while a sale of collected fees was under way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex, pad } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import type { Deployment } from "../../../src/domain/Chain.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { CallReverted, type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { isolated, series } from "../../support/Metrics.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"

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
