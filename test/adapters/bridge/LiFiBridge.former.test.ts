/** Orders over LI.FI while an operator moves the source chain to another SpokePool of Across. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { encodeAbiParameters, encodeEventTopics, padHex, parseAbiParameters } from "viem"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import * as LiFiBridge from "../../../src/adapters/bridge/LiFiBridge.ts"
import * as LiFiDeposit from "../../../src/adapters/bridge/LiFiDeposit.ts"
import { spokePoolAbi } from "../../../src/adapters/bridge/spokePoolAbi.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import type { Bridge, BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { NoRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { Chains, type Log } from "../../../src/ports/shared/Chains.ts"
import { orderOf } from "../../ports/orchestrator/Bridge.suite.ts"
import { address } from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"
import { sample } from "./generated.ts"

const DIAMOND = address(0x1d)
const POOL = address(0x50)
const FORMER_POOL = address(0x51)

const request: BridgeRequest = {
  sourceChainId: FakeEnds.SOURCE,
  destChainId: FakeEnds.DESTINATION,
  tokenIn: sample.inputToken,
  tokenOut: sample.outputToken,
  amountIn: sample.inputAmount,
  depositor: sample.depositor,
  recipient: sample.recipient,
  slippageBps: 50,
  deadline: 1_000n
}

const calldata = LiFiDeposit.encode(sample, { transactionId: FakeEnds.hash(7), integrator: "sweep" })

const order = orderOf(request, {
  provider: LiFiBridge.NAME,
  target: DIAMOND,
  calldata,
  amountOut: sample.outputAmount,
  minAmountOut: sample.outputAmount,
  gas: 1n,
  passing: 0,
  estimatedSeconds: 1
})

const word = (value: Address.Address) => padHex(value, { size: 32 })

/** Data of `FundsDeposited`. */
const DEPOSITED = parseAbiParameters(
  "bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes"
)

/** The log of a deposit into the pool. */
const depositedIn = (pool: Address.Address, deposit: AcrossDeposit.AcrossDeposit = sample): Log => {
  const { depositor, destinationChainId } = deposit
  const args = { destinationChainId, depositId: 7n, depositor: word(depositor) }
  const topics = encodeEventTopics({ abi: spokePoolAbi, eventName: "FundsDeposited", args })
  const data = encodeAbiParameters(DEPOSITED, [
    word(deposit.inputToken),
    word(deposit.outputToken),
    deposit.inputAmount,
    deposit.outputAmount,
    deposit.quoteTimestamp,
    deposit.fillDeadline,
    0,
    word(deposit.recipient),
    word(deposit.exclusiveRelayer),
    "0x"
  ])
  return FakeEnds.log(pool, topics as ReadonlyArray<Hash>, data, FakeEnds.hash(1))
}

/** LI.FI over a source chain with these pools, before a bridge that records the targets of the direct deposits. */
const scene = Effect.fnUntraced(function* (pools: Pick<Chain, "spokePool" | "formerSpokePools">) {
  const { all, get } = yield* Effect.provide(Chains, FakeEnds.make([]).layer)
  const source = yield* get(FakeEnds.SOURCE)
  const moved = { ...source, chain: { ...source.chain, ...pools } }
  const targets: Array<Address.Address> = []
  const across: Bridge["Service"] = {
    route: () => Effect.die("not asked"),
    prepare: () => Effect.die("not asked"),
    decode: (_source, target) => {
      targets.push(target)
      return Effect.fail(new NoRoute({ detail: "recorded" }))
    },
    delivery: ({ order: { swapCalldata, swapTarget } }) => {
      assert.strictEqual(swapCalldata, AcrossDeposit.encode(sample))
      targets.push(swapTarget)
      return Effect.succeed({ _tag: "Pending" })
    }
  }
  const { bridge } = yield* LiFiBridge.make({ across, isOffered: false }).pipe(
    Effect.provideService(Chains, { all, get: (id) => (id === FakeEnds.SOURCE ? Effect.succeed(moved) : get(id)) })
  )
  const lookAfter = (...logs: ReadonlyArray<Log>) =>
    bridge.delivery({
      sourceChainId: request.sourceChainId,
      order,
      receipt: FakeEnds.receiptOf(FakeEnds.hash(1), 1n, logs)
    })
  return { decode: bridge.decode(request.sourceChainId, DIAMOND, calldata), lookAfter, targets }
})

const http = Layer.mergeAll(FetchHttpClient.layer, Health.layer)

describe("an order over LI.FI from a chain with a former pool", () => {
  it.effect("is followed in the pool that took its deposit", () =>
    Effect.gen(function* () {
      const { lookAfter, targets } = yield* scene({ spokePool: POOL, formerSpokePools: [FORMER_POOL] })
      yield* lookAfter(depositedIn(FORMER_POOL))
      yield* lookAfter(depositedIn(POOL))
      assert.deepStrictEqual(targets, [FORMER_POOL, POOL])
    }).pipe(Effect.provide(http))
  )

  it.effect("is not followed in an unlisted pool, nor in a listed one that took another deposit", () =>
    Effect.gen(function* () {
      const { lookAfter, targets } = yield* scene({ spokePool: POOL, formerSpokePools: [FORMER_POOL] })
      yield* lookAfter(depositedIn(address(0xee)))
      for (const change of [{ inputAmount: 1n }, { outputAmount: 1n }, { recipient: address(0xee) }]) {
        yield* lookAfter(depositedIn(FORMER_POOL, { ...sample, ...change }))
      }
      assert.deepStrictEqual(targets, [POOL, POOL, POOL, POOL])
    }).pipe(Effect.provide(http))
  )

  it.effect("is read as a deposit into the present pool when it is new", () =>
    Effect.gen(function* () {
      const { decode, targets } = yield* scene({ spokePool: POOL, formerSpokePools: [FORMER_POOL] })
      assert.strictEqual((yield* Effect.flip(decode)).detail, "recorded")
      assert.deepStrictEqual(targets, [POOL])
    }).pipe(Effect.provide(http))
  )

  it.effect("is followed and no longer read as a new one once the chain has no pool but the former one", () =>
    Effect.gen(function* () {
      const { decode, lookAfter, targets } = yield* scene({ formerSpokePools: [FORMER_POOL] })
      yield* lookAfter(depositedIn(FORMER_POOL))
      assert.match((yield* Effect.flip(decode)).detail, /not a deposit into Across/)
      assert.deepStrictEqual(targets, [FORMER_POOL])
    }).pipe(Effect.provide(http))
  )
})
