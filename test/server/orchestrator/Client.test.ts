/** A client derived from the contract understands what the server says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../../../src/api/orchestrator/OrchestratorApi.ts"
import { PortfolioUnavailable } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { defaults, type ServerSettingsShape } from "../../../src/server/shared/ServerSettings.ts"
import { serve, type UseCases } from "./Harness.ts"
import {
  decodedRequest,
  details,
  health,
  ID,
  intent,
  order,
  OWNER,
  portfolio,
  submission,
  sweepable,
  TX
} from "./Fixtures.ts"

const client = (useCases?: Partial<UseCases>, settings?: Partial<ServerSettingsShape>, token?: string) =>
  Effect.gen(function* () {
    const { base } = yield* serve(useCases, settings)
    return yield* HttpApiClient.make(OrchestratorApi, {
      baseUrl: base,
      transformClient: (http) =>
        token === undefined ? http : HttpClient.mapRequest(http, HttpClientRequest.bearerToken(token))
    })
  }).pipe(Effect.provide(FetchHttpClient.layer))

const authorization = { ...submission.authorization, nonce: 7n, yParity: 0 } as const
const signed = { quoteId: ID, signature: "0x12", authorization } as const

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("a client of the contract", () => {
  it.effect("gets values of the domain", () =>
    Effect.gen(function* () {
      const found = Option.some({ ...intent, status: "delivered" as const, txHash: TX, deliveryTxHash: TX })
      const api = yield* client({ find: () => Effect.succeed(found) }, { adminToken: Redacted.make("t") }, "t")
      const quoted = yield* api.quotes.quote({ payload: decodedRequest })
      assert.deepStrictEqual(quoted.order, order(decodedRequest))
      assert.strictEqual(quoted.signing.authorization.nonce, 7n)
      const params = { owner: OWNER }
      assert.deepStrictEqual(yield* api.portfolio.portfolio({ params }), portfolio)
      assert.deepStrictEqual(yield* api.portfolio.sweepable({ params }), sweepable)
      assert.deepStrictEqual(yield* api.intents.submit({ payload: signed }), { id: ID, status: "submitted" })
      assert.deepStrictEqual(yield* api.intents.status({ params: { id: ID } }), {
        id: ID,
        status: "delivered",
        crossChain: false,
        txHash: TX,
        deliveryTxHash: TX,
        sourceChainId: intent.quote.sourceChainId,
        minAmountOut: intent.quote.minAmountOut,
        estimatedAmountOut: intent.quote.estimatedAmountOut,
        ...details
      })
      assert.deepStrictEqual(yield* api.operator.health(), health)
      assert.deepStrictEqual((yield* api.operator.tick()).unavailableChains, [8])
      assert.deepStrictEqual(
        (yield* api.operator.alerts()).map(({ kind }) => kind),
        ["lane_low"]
      )
      assert.deepStrictEqual(yield* api.system.liveness(), { ok: true })
    })
  )

  it.effect("tells failures apart, also where their bodies are the same", () =>
    Effect.gen(function* () {
      const storeDown = Effect.fail(new StoreUnavailable({ operation: "x", detail: "y" }))
      const failing = yield* client({
        quote: ({ userId }) =>
          userId === "blocked"
            ? Effect.fail(new ScreeningBlocked({ cause: "listed" }))
            : Effect.fail(new QuoteFailed({ reason: "no_route", detail: "" })),
        submit: () => Effect.fail(new SubmissionRefused({ reason: "expired_quote", detail: "" })),
        portfolio: () => Effect.fail(new PortfolioUnavailable({ detail: "" })),
        sweepable: () => Effect.die("boom")
      })
      const params = { owner: OWNER }
      assert.strictEqual(yield* tagOf(failing.quotes.quote({ payload: decodedRequest })), "Unprocessable")
      const blocked = { ...decodedRequest, userId: "blocked" }
      assert.strictEqual(yield* tagOf(failing.quotes.quote({ payload: blocked })), "ScreeningRefused")
      const large = { ...decodedRequest, apiKey: "x".repeat(70_000) }
      assert.strictEqual(yield* tagOf(failing.quotes.quote({ payload: large })), "BodyTooLarge")
      assert.strictEqual(yield* tagOf(failing.intents.submit({ payload: signed })), "Refused")
      assert.strictEqual(yield* tagOf(failing.intents.status({ params: { id: "x" } })), "NotFound")
      assert.strictEqual(yield* tagOf(failing.portfolio.portfolio({ params })), "UpstreamFailed")
      assert.strictEqual(yield* tagOf(failing.portfolio.sweepable({ params })), "InternalError")
      assert.strictEqual(yield* tagOf(failing.operator.health()), "Unauthorized")
      const away = yield* client({ submit: () => storeDown })
      assert.strictEqual(yield* tagOf(away.intents.submit({ payload: signed })), "Unavailable")
    })
  )

  it.effect("learns from a 429 how long to wait", () =>
    Effect.gen(function* () {
      const orchestrator = { limit: 1, windowMillis: 30_000 }
      const api = yield* client({}, { rateLimits: { ...defaults.rateLimits, orchestrator } })
      yield* api.intents.status({ params: { id: ID } })
      const error = yield* Effect.flip(api.intents.status({ params: { id: ID } }))
      assert.strictEqual(error._tag, "RateLimitExceeded")
      if (error._tag === "RateLimitExceeded") assert.strictEqual(error.retryAfterSeconds, 30)
    })
  )
})
