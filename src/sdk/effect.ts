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
import { Context, Effect, Layer, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import type { IntentView, QuoteResponse } from "../api/orchestrator/Schemas.ts"
import * as Address from "../domain/Address.ts"
import type { QuoteRequest } from "../domain/Quote.ts"
import type { RetryOptions } from "./attempts.ts"
import { persistently, sendKeys, underOneKey } from "./effectAttempts.ts"
import { waitForIntent } from "./effectWait.ts"
import { OrderMismatchError, SigningError } from "./errors.ts"
import { type ReviewOptions, reviewOrder, type SweepReview } from "./review.ts"
import { signReviewed } from "./sign.ts"
import type { SweepSigner } from "./signer.ts"
import type { Offer, SignedSweep, SweepRequest } from "./types.ts"
import { writeRequest } from "./wire.ts"

export type { RetryOptions } from "./attempts.ts"
export type { KnownBridge, KnownBridges } from "./knownBridges.ts"
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
  /** How strict the review is, as in the main entry: name the delegates that you know, and bridges that are not built in. */
  readonly review?: Omit<ReviewOptions, "nowMs">
  /** How often `quote` and `submit` send a request whose answer got lost, or was 429 or 5xx. */
  readonly retry?: RetryOptions
}

export interface KeyedOptions {
  /** Names the request for 24 hours, as in the main entry; a random one unless told. */
  readonly idempotencyKey?: string
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

const make = Effect.fnUntraced(function* (options: Options) {
  const api = yield* HttpApiClient.make(OrchestratorApi, {
    baseUrl: options.orchestratorUrl,
    transformClient: sendKeys
  })
  const once = <A, E extends { readonly _tag: string }>(
    request: Effect.Effect<A, E>,
    { idempotencyKey }: KeyedOptions
  ) => underOneKey(persistently(options.retry)(request), idempotencyKey)
  const attributed = (request: SweepRequest): SweepRequest =>
    options.apiKey === undefined ? request : { apiKey: options.apiKey, ...request }

  const quote = Effect.fn("SweepApi.quote")(function* (request: SweepRequest, keyed: KeyedOptions = {}) {
    return asOffer(yield* once(api.quotes.quote({ payload: asQuoteRequest(attributed(request)) }), keyed))
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

  const submit = Effect.fn("SweepApi.submit")((signed: SignedSweep, keyed: KeyedOptions = {}) =>
    once(
      api.intents.submit({
        payload: {
          ...signed,
          authorization: {
            ...signed.authorization,
            address: Address.of(signed.authorization.address),
            nonce: BigInt(signed.authorization.nonce)
          }
        }
      }),
      keyed
    )
  )

  const wait = Effect.fn("SweepApi.wait")(
    (id: string, onProgress: (intent: Intent) => Effect.Effect<void> = () => Effect.void) =>
      waitForIntent(id, {
        status: api.intents.status({ params: { id } }),
        opened: api.intents.events({ params: { id }, responseMode: "response-only" }),
        onProgress
      })
  )

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
    /** Prices the sweep. A request whose answer gets lost is sent again under its idempotency key; so with `submit`. */
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
