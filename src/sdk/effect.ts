/**
 * The client for programs that use Effect: the contract's own client (every endpoint, every error by its tag), and on it what a
 * sweep is made of. Needs `effect` beside `viem`; the main entry needs only `viem`.
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const sweeps = yield* SweepApi
 *   return yield* sweeps.sweep(request, account, { confirm: (review) => askTheUser(review) })
 * }).pipe(Effect.provide(SweepApi.layer({ orchestratorUrl })), Effect.provide(FetchHttpClient.layer))
 * ```
 */
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { type HttpClient, HttpClientError } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import type { IntentView, QuoteResponse } from "../api/orchestrator/Schemas.ts"
import * as Address from "../domain/Address.ts"
import { isTerminal } from "../domain/Intent.ts"
import type { QuoteRequest } from "../domain/Quote.ts"
import { OrderMismatchError, SigningError } from "./errors.ts"
import { type ReviewOptions, reviewOrder, type SweepReview } from "./review.ts"
import { signReviewed } from "./sign.ts"
import type { SweepSigner } from "./signer.ts"
import type { Offer, SignedSweep, SweepRequest } from "./types.ts"
import { writeRequest } from "./wire.ts"

export type { ReviewOptions, SweepReview } from "./review.ts"
export type { SweepSigner } from "./signer.ts"
export type { SignedSweep, SweepRequest } from "./types.ts"
export { OrchestratorApi }

/** The order is not what was asked for; it must not be signed. */
export class OrderMismatch extends Schema.TaggedError<OrderMismatch>()("OrderMismatch", {
  mismatches: Schema.Array(Schema.Struct({ field: Schema.String, detail: Schema.String })),
  message: Schema.String
}) {}

/** The wallet did not sign, or not as the owner. */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  code: Schema.Literals(["signing_refused", "wrong_signer", "unsupported_wallet"]),
  message: Schema.String
}) {}

/** The user was asked and said no. */
export class Declined extends Schema.TaggedError<Declined>()("Declined", {}) {}

/** The sweep ended without delivery. */
export class SweepFailed extends Schema.TaggedError<SweepFailed>()("SweepFailed", {
  id: Schema.String,
  failureReason: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `sweep ${this.id} failed${this.failureReason === undefined ? "" : `: ${this.failureReason}`}`
  }
}

type Intent = typeof IntentView.Type

export interface Options {
  readonly orchestratorUrl: string
  /** Attributes every sweep to the builder that the key belongs to. */
  readonly apiKey?: string
  readonly review?: Omit<ReviewOptions, "nowMs">
}

/** As the contract takes it; the request's addresses must be addresses. */
const asQuoteRequest = (request: SweepRequest): QuoteRequest => ({
  ...writeRequest(request),
  owner: Address.of(request.owner),
  tokenIn: Address.of(request.tokenIn),
  amountIn: request.amountIn,
  tokenOut: Address.of(request.tokenOut),
  destination: Address.of(request.destination ?? request.owner)
})

const asOffer = ({ order, quote, signing }: typeof QuoteResponse.Type): Offer => ({
  quote,
  order,
  signing: { ...signing, authorization: { ...signing.authorization, nonce: Number(signing.authorization.nonce) } }
})

const asMismatch = (error: unknown): Effect.Effect<never, OrderMismatch> =>
  error instanceof OrderMismatchError
    ? Effect.fail(new OrderMismatch({ mismatches: error.mismatches, message: error.message }))
    : Effect.die(error)

const asSigningFailed = (error: unknown): Effect.Effect<never, SigningFailed> =>
  error instanceof SigningError
    ? Effect.fail(new SigningFailed({ code: error.code, message: error.message }))
    : Effect.die(error)

/** Quickly at first, then as often as the specification says. */
const polling = Schedule.min([Schedule.exponential("500 millis", 1.4), Schedule.spaced("3 seconds")])

/** Passing trouble while an intent is followed: the next poll may tell. */
const isPassing = (error: { readonly _tag: string }): boolean =>
  HttpClientError.isHttpClientError(error) || error._tag === "Unavailable" || error._tag === "InternalError"

const make = Effect.fnUntraced(function* (options: Options) {
  const api = yield* HttpApiClient.make(OrchestratorApi, { baseUrl: options.orchestratorUrl })
  const attributed = (request: SweepRequest): SweepRequest =>
    options.apiKey === undefined ? request : { apiKey: options.apiKey, ...request }

  const quote = Effect.fn("SweepApi.quote")(function* (request: SweepRequest) {
    return asOffer(yield* api.quotes.quote({ payload: asQuoteRequest(attributed(request)) }))
  })

  const review = Effect.fn("SweepApi.review")(function* (offer: Offer, request: SweepRequest) {
    const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return yield* Effect.try({
      try: () => reviewOrder(offer, attributed(request), { ...options.review, nowMs }),
      catch: (error) => error
    }).pipe(Effect.catch(asMismatch))
  })

  const sign = Effect.fn("SweepApi.sign")((reviewed: SweepReview, signer: SweepSigner) =>
    Effect.tryPromise({ try: () => signReviewed(reviewed, signer), catch: (error) => error }).pipe(
      Effect.catch(asSigningFailed)
    )
  )

  const submit = Effect.fn("SweepApi.submit")((signed: SignedSweep) =>
    api.intents.submit({
      payload: {
        ...signed,
        authorization: {
          ...signed.authorization,
          address: Address.of(signed.authorization.address),
          nonce: BigInt(signed.authorization.nonce)
        }
      }
    })
  )

  const status = (id: string) =>
    api.intents.status({ params: { id } }).pipe(
      Effect.catchTag("RateLimitExceeded", (limited) =>
        Effect.andThen(Effect.sleep(limited.retryAfterSeconds * 1000), Effect.fail(limited))
      ),
      Effect.retry({
        schedule: Schedule.spaced("3 seconds"),
        while: (error) => isPassing(error) || error._tag === "RateLimitExceeded"
      })
    )

  const wait = Effect.fn("SweepApi.wait")(function* (
    id: string,
    onProgress: (intent: Intent) => Effect.Effect<void> = () => Effect.void
  ) {
    let known: Intent["status"] | undefined
    const poll = Effect.tap(status(id), (intent) => {
      if (intent.status === known) return Effect.void
      known = intent.status
      return onProgress(intent)
    })
    return yield* Effect.repeat(poll, { schedule: polling, until: (intent) => isTerminal(intent.status) })
  })

  const sweep = Effect.fn("SweepApi.sweep")(function* (
    request: SweepRequest,
    signer: SweepSigner,
    more: {
      readonly confirm?: (review: SweepReview) => Effect.Effect<boolean>
      readonly onProgress?: (intent: Intent) => Effect.Effect<void>
    } = {}
  ) {
    const reviewed = yield* review(yield* quote(request), request)
    if (more.confirm !== undefined && !(yield* more.confirm(reviewed))) return yield* new Declined()
    const accepted = yield* submit(yield* sign(reviewed, signer))
    const intent = yield* wait(accepted.id, more.onProgress)
    if (intent.status === "failed") {
      const { failureReason, id } = intent
      return yield* new SweepFailed({ id, ...(failureReason === undefined ? {} : { failureReason }) })
    }
    return { intent, review: reviewed }
  })

  return {
    /** Every endpoint of the contract. */
    api,
    quote,
    /** Holds the offer against the request; what it returns is to be shown to the user. */
    review,
    sign,
    submit,
    /** The intent once it has ended, `delivered` or `failed`. Rides out passing trouble; give it a timeout of yours. */
    wait,
    /** All of it. */
    sweep
  }
})

export class SweepApi extends Context.Service<SweepApi, Effect.Success<ReturnType<typeof make>>>()(
  "sweep/sdk/SweepApi"
) {
  static layer(options: Options): Layer.Layer<SweepApi, never, HttpClient.HttpClient> {
    return Layer.effect(SweepApi, make(options))
  }
}
