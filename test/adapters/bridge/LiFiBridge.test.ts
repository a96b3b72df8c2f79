/** LI.FI across chains, against a stub in the recorded shape. Its deposits are read and followed as Across's own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import * as LiFiBridge from "../../../src/adapters/bridge/LiFiBridge.ts"
import * as LiFiDeposit from "../../../src/adapters/bridge/LiFiDeposit.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import { Quote } from "../../../src/adapters/swap/LiFi.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { Bridge, BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { Chains, UnsupportedChain } from "../../../src/ports/shared/Chains.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { NoRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { orderOf } from "../../ports/orchestrator/Bridge.suite.ts"
import { address, chain } from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"
import * as FakeEnds from "./fakeEnds.ts"

const DIAMOND = address(0x1d)
const POOL = address(0x50)
const EVIL = address(0xee)

const request: BridgeRequest = {
  sourceChainId: FakeEnds.SOURCE,
  destChainId: FakeEnds.DESTINATION,
  tokenIn: address(0x11),
  tokenOut: address(0x22),
  amountIn: 1_000_000n,
  depositor: address(0x33),
  recipient: address(0x44),
  slippageBps: 50,
  deadline: 1_000n
}

const honest: AcrossDeposit.AcrossDeposit = {
  depositor: request.depositor,
  recipient: request.recipient,
  inputToken: request.tokenIn,
  outputToken: request.tokenOut,
  inputAmount: request.amountIn,
  outputAmount: 990_000n,
  destinationChainId: BigInt(request.destChainId),
  exclusiveRelayer: Address.zero,
  quoteTimestamp: 900,
  fillDeadline: 2_000,
  exclusivityParameter: 0
}

const NAMES = { transactionId: FakeEnds.hash(7), integrator: "sweep" }

const bodyOf = (deposit: AcrossDeposit.AcrossDeposit = honest, data: Hex = LiFiDeposit.encode(deposit, NAMES)) => ({
  id: "1",
  type: "lifi",
  tool: "across",
  estimate: {
    fromAmount: "1000000",
    toAmount: "990000",
    toAmountMin: "990000",
    approvalAddress: DIAMOND,
    executionDuration: 30
  },
  includedSteps: [],
  transactionRequest: {
    to: DIAMOND,
    from: request.depositor,
    data,
    value: "0x0",
    gasLimit: "0x30d40",
    chainId: request.sourceChainId
  }
})

const QUOTE: Answer = { status: 200, body: bodyOf() }

const http = Layer.mergeAll(
  StubServer.answering(() => QUOTE),
  FetchHttpClient.layer,
  Health.layer
)

/** Across, which records the direct calls that it is asked about. */
const scene = Effect.fnUntraced(function* () {
  const stub = yield* StubServer
  const { ends, layer } = FakeEnds.make([{ name: "lifi", kind: "bridge", address: DIAMOND }])
  const { get } = yield* Effect.provide(Chains, layer)
  const source = yield* get(FakeEnds.SOURCE)
  const followed: Array<readonly [string, string]> = []
  const across: Bridge["Service"] = {
    route: () => Effect.die("not asked"),
    prepare: () => Effect.die("not asked"),
    decode: (_source, target, calldata) =>
      Effect.map(Effect.fromOption(AcrossDeposit.decode(calldata)), (deposit) => {
        assert.strictEqual(target, POOL)
        return {
          tokenIn: deposit.inputToken,
          amountIn: deposit.inputAmount,
          tokenOut: deposit.outputToken,
          minAmountOut: deposit.outputAmount,
          destChainId: deposit.destinationChainId,
          depositor: deposit.depositor,
          recipient: deposit.recipient
        }
      }).pipe(Effect.mapError(() => new NoRoute({ detail: "no deposit" }))),
    delivery: ({ order }) => {
      followed.push([order.swapTarget, order.swapCalldata])
      return Effect.succeed({ _tag: "Pending" })
    }
  }
  const withPool = { ...source, chain: { ...source.chain, spokePool: POOL } }
  const { bridge, reads } = yield* LiFiBridge.make({ across, apiUrl: stub.url, isOffered: true }).pipe(
    Effect.provideService(Chains, {
      all: [withPool],
      get: (id) =>
        id === FakeEnds.SOURCE
          ? Effect.succeed(withPool)
          : id === FakeEnds.DESTINATION
            ? get(id)
            : Effect.fail(new UnsupportedChain({ chainId: id }))
    })
  )
  const failure = (wanted = request) =>
    Effect.map(Effect.flip(bridge.route(wanted)), ({ _tag, detail }) => `${_tag}: ${detail}`)
  return { bridge, ends, failure, followed, reads, stub }
})

const decode = Schema.decodeUnknownSync(Quote)
const accept = (body: unknown) => LiFiBridge.accept(request, decode(body), [DIAMOND])

describe("a route of LI.FI across chains", () => {
  it.effect("is the deposit of the answer, and is read and followed as Across's own", () =>
    Effect.gen(function* () {
      const { bridge, followed, reads, stub } = yield* scene()
      const route = yield* Effect.flatMap(bridge.prepare(request), (routeOf) => routeOf(request.amountIn))
      assert.strictEqual(route.target, DIAMOND)
      assert.strictEqual(route.minAmountOut, 990_000n)
      assert.isTrue(reads(route.calldata))
      const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
      assert.strictEqual(deposit.recipient, request.recipient)
      assert.strictEqual(deposit.minAmountOut, 990_000n)
      const { path = "" } = (yield* stub.seen)[0] ?? {}
      assert.include(path, `fromAddress=${request.depositor}`)
      assert.include(path, `toAddress=${request.recipient}`)
      assert.include(path, "allowBridges=across")
      yield* bridge.delivery({
        sourceChainId: request.sourceChainId,
        order: orderOf(request, route),
        receipt: FakeEnds.receiptOf(FakeEnds.hash(1), 1n, [])
      })
      assert.deepStrictEqual(followed, [[POOL, AcrossDeposit.encode(honest)]])
    }).pipe(Effect.provide(http))
  )

  it.effect("is not asked for where nothing is listed, and not for native currency", () =>
    Effect.gen(function* () {
      const { ends, failure, stub } = yield* scene()
      assert.match(yield* failure({ ...request, tokenOut: NATIVE }), /^NoRoute/)
      assert.match(yield* failure({ ...request, tokenOut: chain.wrappedNative }), /^NoRoute/)
      assert.match(yield* failure({ ...request, destChainId: 7 }), /^NoRoute/)
      ends.listed.clear()
      assert.match(yield* failure(), /^NoRoute: lifi: no contract is listed/)
      assert.lengthOf(yield* stub.seen, 0)
    }).pipe(Effect.provide(http))
  )

  it.effect.each([
    ["no quote", { status: 404, body: { message: "none for 0xsecret", code: 1002 } }, "NoRoute: LI.FI: code 1002"],
    ["a limit", { status: 429, headers: { "retry-after": "9" } }, "RoutingUnavailable: HTTP 429, next request in 9 s"],
    ["a failure", { status: 503 }, "RoutingUnavailable: HTTP 503"],
    ["no JSON", { status: 200, body: "<html>" }, "RoutingUnavailable: HTTP 200 with a malformed body"],
    [
      "another recipient",
      { status: 200, body: bodyOf({ ...honest, recipient: EVIL }) },
      "RoutingUnavailable: the answer has a deposit of other terms"
    ],
    [
      "another call",
      {
        status: 200,
        body: { ...bodyOf(honest), transactionRequest: { ...bodyOf(honest).transactionRequest, data: "0x12345678" } }
      },
      "NoRoute: lifi-bridge: the answer has a call other than a direct deposit into Across"
    ]
  ] as const)("fails with what the service says: %s", ([, reply, expected]) =>
    Effect.gen(function* () {
      const { failure, stub } = yield* scene()
      yield* stub.answer(reply)
      assert.strictEqual(yield* failure(), expected)
    }).pipe(Effect.provide(http))
  )
})

describe("the service of LI.FI across chains", () => {
  it.live("is unavailable if it does not answer in time", () =>
    Effect.gen(function* () {
      const { failure, stub } = yield* scene()
      yield* stub.answer({ status: 200, silent: true })
      assert.strictEqual(yield* failure(), "RoutingUnavailable: no answer within 2500 ms")
    }).pipe(Effect.provide(http))
  )

  it.effect("is not asked while its circuit is open, and is asked again after it", () =>
    Effect.gen(function* () {
      const { bridge, failure, stub } = yield* scene()
      yield* stub.answer({ status: 503 })
      for (const _ of [1, 2, 3, 4, 5]) assert.strictEqual(yield* failure(), "RoutingUnavailable: HTTP 503")
      assert.match(yield* failure(), /^RoutingUnavailable: failed repeatedly, next request in 5 s/)
      assert.lengthOf(yield* stub.seen, 5)
      yield* stub.answer(QUOTE)
      yield* TestClock.adjust("5 seconds")
      yield* bridge.route(request)
      assert.lengthOf(yield* stub.seen, 6)
    }).pipe(Effect.provide(http))
  )

  it.effect("counts as silent when a quote waits no longer for it", () =>
    Effect.gen(function* () {
      const { bridge, stub } = yield* scene()
      const { all } = yield* ProviderStates
      yield* stub.answer({ status: 200, silent: true })
      const asking = yield* Effect.forkChild(bridge.route(request))
      while ((yield* stub.seen).length < 1) yield* Effect.yieldNow
      yield* Fiber.interrupt(asking)
      yield* TestClock.adjust("2500 millis")
      assert.deepInclude((yield* all)[0], { failures: 1, abandoned: 0 })
    }).pipe(Effect.provide(http))
  )
})

describe("an answer of LI.FI across chains", () => {
  it("is a call of the facet as it is deployed", () => {
    // The first four bytes of the calls that the diamond gets on Ethereum and Base.
    assert.strictEqual(LiFiDeposit.SELECTOR, "0xa1f1ce43")
  })

  it("is accepted if each field is what was asked for", () => {
    assert.deepStrictEqual(Result.getOrThrow(accept(bodyOf())), honest)
  })

  it.each([
    ["depositor", EVIL],
    ["recipient", EVIL],
    ["inputToken", EVIL],
    ["outputToken", EVIL],
    ["inputAmount", 999_999n],
    ["outputAmount", 989_999n],
    ["destinationChainId", 1n],
    ["fillDeadline", 1_599]
  ] as const)("is refused with another %s of its deposit", (field, value) => {
    assert.isTrue(Result.isFailure(accept(bodyOf({ ...honest, [field]: value }))))
  })

  it.each([
    ["a swap before", { hasSourceSwaps: true }],
    ["a call on arrival", { hasDestinationCall: true, message: "0x01" }],
    ["a message", { message: "0x01" }],
    ["a deposit of another token than the one that is taken", { deposited: EVIL }]
  ] as const)("is refused with %s", (_, flags) => {
    assert.isTrue(Result.isFailure(accept(bodyOf(honest, LiFiDeposit.encode(honest, NAMES, flags)))))
  })

  it("is refused with another transaction", () => {
    const body = bodyOf()
    const { data } = body.transactionRequest
    for (const change of [
      { to: EVIL },
      { from: EVIL },
      { chainId: 1 },
      { value: "0x1" },
      { data: `${data}00` },
      { data: data.slice(0, -64) },
      { data: "0x" }
    ]) {
      const transactionRequest = { ...body.transactionRequest, ...change }
      assert.isTrue(Result.isFailure(accept({ ...body, transactionRequest })), JSON.stringify(change).slice(0, 60))
    }
    for (const change of [{ fromAmount: "1" }, { approvalAddress: EVIL }]) {
      assert.isTrue(Result.isFailure(accept({ ...body, estimate: { ...body.estimate, ...change } })))
    }
    assert.isTrue(Result.isFailure(LiFiBridge.accept(request, decode(body), [])))
  })
})
