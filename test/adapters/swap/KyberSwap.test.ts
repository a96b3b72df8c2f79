import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as KyberSwap from "../../../src/adapters/swap/KyberSwap.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import type { SwapRequest } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address, layer as chainsLayer } from "../../support/FakeChain.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"
import {
  AMOUNT_OUT,
  KYBER_ROUTER,
  kyberBuilt,
  kyberCall,
  kyberRoutes,
  kyberSimpleCall,
  kyberTerms,
  request
} from "./serviceAnswers.ts"
import { base, behavesAsService, refusesChanges } from "./serviceSuite.ts"

const make = (baseUrl: string) => KyberSwap.make({ baseUrl, clientId: "sweeper", deadline: "200 millis" })

const honestly = (asked: SwapRequest) => (seen: Seen) =>
  seen.method === "GET" ? { status: 200, body: kyberRoutes(asked) } : { status: 200, body: kyberBuilt(asked) }

const built200 = (change: object) => {
  const answer = kyberBuilt(request)
  return { status: 200, body: { ...answer, data: { ...answer.data, ...change } } }
}

behavesAsService({
  name: "kyberswap",
  make,
  honest: honestly,
  router: KYBER_ROUTER,
  refusals: [
    { status: 400, body: { code: 4008, message: "route not found", details: null } },
    { status: 404, body: { code: 40_011, message: "filtered liquidity sources" } },
    { status: 400, body: { code: 4_990, message: "anything else about the request" } },
    (seen) => (seen.method === "GET" ? { status: 200, body: kyberRoutes(request) } : built200({ data: "0x12345678" })),
    (seen) => (seen.method === "GET" ? { status: 200, body: kyberRoutes(request) } : built200({ gas: "15000001" }))
  ],
  lies: (seen) =>
    seen.method === "GET"
      ? { status: 200, body: kyberRoutes(request) }
      : { status: 200, body: kyberBuilt(request, { ...kyberTerms(request), recipient: address(0x99) }) },
  requests: 2
})

const honest: KyberSwap.Built = {
  amountIn: request.amountIn,
  amountOut: AMOUNT_OUT,
  gas: 253_000n,
  data: kyberCall(kyberTerms(request)),
  routerAddress: KYBER_ROUTER,
  transactionValue: 0n
}
const built = (change: Partial<KyberSwap.Built>) => KyberSwap.claimOf(request, { ...honest, ...change })
const call = (change: Partial<ReturnType<typeof kyberTerms>>) =>
  built({ data: kyberCall({ ...kyberTerms(request), ...change }) })

const simple = (change: Partial<ReturnType<typeof kyberTerms>> = {}) =>
  built({ data: kyberSimpleCall({ ...kyberTerms(request), ...change }) })

refusesChanges("kyberswap in simple mode", KYBER_ROUTER, () => simple(), {
  "another target": ({ address }) => built({ data: kyberSimpleCall(kyberTerms(request)), routerAddress: address }),
  "another input": ({ address }) => simple({ tokenIn: address }),
  "another output": ({ address }) => simple({ tokenOut: address }),
  "a larger amount": ({ amount }) => simple({ amountIn: 1_000_000n + amount, taken: 1_000_000n + amount }),
  "another taken amount": ({ amount }) => simple({ taken: 1_000_000n + amount }),
  "another recipient": ({ address }) => simple({ recipient: address }),
  "a low minimum": ({ amount }) => simple({ minAmountOut: amount % 1_970_000n }),
  "a fee": ({ address }) => simple({ feeReceivers: [address] }),
  "a permit": ({ amount }) => simple({ permit: `0x${amount.toString(16).padStart(64, "0")}` }),
  "a partial fill": ({ amount }) => simple({ flags: (amount << 1n) | 1n })
})

refusesChanges("kyberswap", KYBER_ROUTER, () => built({}), {
  "another target": ({ address }) => built({ routerAddress: address }),
  "a value": ({ amount }) => built({ transactionValue: amount }),
  "another stated amount": ({ amount }) => built({ amountIn: 1_000_000n + amount }),
  "an output that the minimum does not hold": ({ amount }) => built({ amountOut: 2_010_000n + amount }),
  "an output below the minimum": ({ amount }) => built({ amountOut: amount % 1_980_000n }),
  "endless gas": ({ amount }) => built({ gas: 15_000_000n + amount }),
  "another function": ({ amount }) =>
    built({ data: `0x${(amount % 2n ** 32n).toString(16).padStart(8, "0")}${honest.data.slice(10)}` as Hex }),
  "surplus bytes": ({ amount }) => built({ data: `${honest.data}${amount.toString(16).padStart(64, "0")}` as Hex }),
  "calldata that is too long": () => built({ data: `${honest.data}${"00".repeat(30_000)}` as Hex }),
  "another input": ({ address }) => call({ tokenIn: address }),
  "another output": ({ address }) => call({ tokenOut: address }),
  "a larger amount": ({ amount }) => call({ amountIn: 1_000_000n + amount, taken: 1_000_000n + amount }),
  "a smaller amount": ({ amount }) => call({ amountIn: amount % 1_000_000n, taken: amount % 1_000_000n }),
  "another taken amount": ({ amount }) => call({ taken: 1_000_000n + amount }),
  "another recipient": ({ address }) => call({ recipient: address }),
  "no recipient, which means the caller": () => call({ recipient: Address.zero }),
  "a low minimum": ({ amount }) => call({ minAmountOut: amount % 1_970_000n }),
  "a fee": ({ address }) => call({ feeReceivers: [address] }),
  "a permit": ({ amount }) => call({ permit: `0x${amount.toString(16).padStart(64, "0")}` }),
  "a partial fill": ({ amount }) => call({ flags: (amount << 1n) | 1n }),
  "a flag that burns tokens": () => call({ flags: 0x10n })
})

/** Failures of listed tokens count each time. */
const listing = { ...base, stables: [...base.stables, request.tokenIn, request.tokenOut] }

const layer = Layer.mergeAll(StubServer.layer, FetchHttpClient.layer, chainsLayer({ chain: listing }))

describe("KyberSwap", () => {
  it.effect("builds the route that it was given, as it was written", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer(honestly(request))
      const routeOf = yield* (yield* make(url)).prepare(request)
      yield* routeOf({ ...request, slippageBps: 100 })
      const [asked, built] = yield* seen
      const { pathname, searchParams } = new URL(asked?.path ?? "", url)
      assert.strictEqual(pathname, "/base/api/v1/routes")
      assert.deepStrictEqual(Object.fromEntries(searchParams), {
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        amountIn: "1000000",
        gasInclude: "true",
        excludeRFQSources: "true"
      })
      assert.strictEqual(asked?.headers.get("x-client-id"), "sweeper")
      assert.strictEqual(built?.path, "/base/api/v1/route/build")
      assert.strictEqual(built?.headers.get("content-type"), "application/json")
      const summary = /"routeSummary":(\{.*\}),"routerAddress"/.exec(kyberRoutes(request))?.[1]
      assert.strictEqual(
        built?.body,
        `{"routeSummary":${summary},"sender":"${request.sender}","recipient":"${request.recipient}","slippageTolerance":100,"deadline":1800000000}`
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("builds no route for another request or router", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      const source = yield* make(url)
      const others = [
        kyberRoutes({ ...request, tokenIn: address(0x99) }),
        kyberRoutes({ ...request, tokenOut: address(0x99) }),
        kyberRoutes({ ...request, amountIn: 2n }),
        kyberRoutes(request, address(0x99))
      ]
      for (const body of others) {
        yield* answer({ status: 200, body })
        const refused = yield* Effect.flip(Effect.flatMap(source.prepare(request), (routeOf) => routeOf(request)))
        assert.strictEqual(refused.message, "kyberswap is unavailable: returned a route for another request")
      }
      assert.isTrue((yield* seen).every(({ method }) => method === "GET"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("asks for no route while none can be built", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      const source = yield* make(url)
      const route = Effect.flatMap(source.prepare(request), (routeOf) => routeOf(request))
      const building = (reply: Answer) =>
        answer((asked) => (asked.method === "GET" ? { status: 200, body: kyberRoutes(request) } : reply))
      const requests = Effect.map(seen, ({ length }) => length)

      yield* building({ status: 429, headers: { "retry-after": "9" } })
      yield* Effect.flip(route)
      assert.strictEqual(yield* requests, 2)
      const paused = yield* Effect.flip(route)
      assert.strictEqual(paused.message, "kyberswap is unavailable: asked for a pause, next request in 9 s")
      assert.strictEqual(yield* requests, 2)

      // Five failures in a row, with the pause, open the circuit.
      yield* building({ status: 500, body: { code: 1 } })
      yield* TestClock.adjust("9 seconds")
      for (const _ of [1, 2, 3, 4]) yield* Effect.flip(route)
      assert.strictEqual(yield* requests, 10)
      const open = yield* Effect.flip(route)
      assert.include(open.message, "failed repeatedly, next request in 5 s")
      assert.strictEqual(yield* requests, 10)

      yield* answer(honestly(request))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* route).provider, "kyberswap")
    }).pipe(Effect.provide(layer))
  )
})
