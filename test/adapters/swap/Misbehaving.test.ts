/** Services that lie, are broken or stop: whatever they answer, no route differs from its request. Read by the client's own readers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as KyberSwap from "../../../src/adapters/swap/KyberSwap.ts"
import * as LiFi from "../../../src/adapters/swap/LiFi.ts"
import * as ZeroX from "../../../src/adapters/swap/ZeroX.ts"
import type { Address } from "../../../src/domain/Address.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import { readKyberSwapCall, readLiFiCall, readZeroExCall, type SwapReader } from "../../../src/sdk/venues.ts"
import { layer as chainsLayer } from "../../support/FakeChain.ts"
import { Changes, mangled } from "../../support/Mangled.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"
import {
  ALLOWANCE_HOLDER,
  DIAMOND,
  KYBER_ROUTER,
  kyberBuilt,
  kyberRoutes,
  kyberSimpleCall,
  kyberTerms,
  liFiAnswer,
  liFiTerms,
  request,
  zeroXAnswer
} from "./serviceAnswers.ts"
import { base } from "./serviceSuite.ts"

const apiKey = Redacted.make("k3y")

const kyberSimple = {
  ...kyberBuilt(request),
  data: { ...kyberBuilt(request).data, data: kyberSimpleCall(kyberTerms(request)) }
}

interface Service {
  readonly make: (baseUrl: string) => ReturnType<typeof LiFi.make>
  readonly router: Address
  readonly read: SwapReader
  /** Honest answers. Others are made of them. */
  readonly bodies: ReadonlyArray<unknown>
  /** Answers to requests before the one for the call. */
  readonly before?: (seen: Seen) => Answer | undefined
}

const services: Readonly<Record<string, Service>> = {
  "0x": {
    make: (baseUrl) => ZeroX.make({ baseUrl, apiKey }),
    router: ALLOWANCE_HOLDER,
    read: readZeroExCall,
    bodies: [zeroXAnswer(request)]
  },
  kyberswap: {
    make: (baseUrl) => KyberSwap.make({ baseUrl }),
    router: KYBER_ROUTER,
    read: readKyberSwapCall,
    bodies: [kyberBuilt(request), kyberSimple],
    before: ({ method }) => (method === "GET" ? { status: 200, body: kyberRoutes(request) } : undefined)
  },
  lifi: {
    make: (baseUrl) => LiFi.make({ baseUrl, apiKey }),
    router: DIAMOND,
    read: readLiFiCall,
    bodies: [
      liFiAnswer(request),
      liFiAnswer(request, liFiTerms(request, 2)),
      liFiAnswer(request, { ...liFiTerms(request, 2), paysNative: undefined })
    ]
  }
}

const Status = Schema.Literals([200, 200, 200, 200, 400, 404, 429, 500, 503])
const layer = Layer.mergeAll(StubServer.layer, FetchHttpClient.layer, chainsLayer({ chain: base }))

describe.each(Object.entries(services))("%s, whatever it answers,", (name, { before, bodies, make, read, router }) => {
  it.effect.prop(
    "makes no route to another recipient, target, token or amount",
    [Changes, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 })), Status],
    ([changes, which, status]) =>
      Effect.gen(function* () {
        const { answer, url } = yield* StubServer
        const body = mangled(bodies[which % bodies.length], changes)
        yield* answer((seen) => before?.(seen) ?? { status, body: body })
        const routeOf = yield* (yield* make(url)).prepare(request)
        const outcome = yield* Effect.result(routeOf(request))
        if (outcome._tag === "Failure") return
        const route = outcome.success
        assert.deepInclude(route, { provider: name, target: router })
        const call = read(route.target, route.calldata)
        assert.deepInclude(call, {
          tokenIn: request.tokenIn,
          tokenOut: request.tokenOut,
          amountIn: request.amountIn,
          recipient: request.recipient
        })
        assert.isTrue(route.minAmountOut > 0n && route.minAmountOut <= route.amountOut)
        assert.isTrue((call?.minAmountOut ?? 0n) + 1n >= lessBps(route.amountOut, request.slippageBps + 1))
      }).pipe(Effect.scoped, Effect.provide(layer)),
    { arbitrary: { runs: 60 } }
  )
})
