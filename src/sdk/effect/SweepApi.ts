/** The Effect client: the contract's own client, and on it the steps of a sweep. */
import { Context, Effect, Layer } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import type { IntentView, QuoteResponse } from "../../api/orchestrator/Schemas.ts"
import type { SweepView } from "../../api/orchestrator/SweepApi.ts"
import type { SweepQuotesResponse } from "../../api/orchestrator/SweepSchemas.ts"
import * as Address from "../../domain/Address.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { SweepQuotesRequest as WireQuotesRequest } from "../../domain/SweepQuotes.ts"
import { attributed } from "../core/Attribution.ts"
import type { RetryOptions } from "../core/Retry.ts"
import type { SignedBatch, SweepQuotes, SweepQuotesRequest } from "../model/Batch.ts"
import type { Authorization as SignedAuthorization, Offer, SignedSweep, SweepRequest } from "../model/Sweep.ts"
import { type BatchReview, reviewSweepQuotes } from "../review/BatchReview.ts"
import { refuseExpired } from "../review/Expiry.ts"
import { reviewOrder, type SweepReview } from "../review/Review.ts"
import type { ReviewOptions } from "../review/ReviewOptions.ts"
import type { ReviewedTerms } from "../review/TermsReview.ts"
import type { SweepSigner } from "../sign/Signer.ts"
import { signBatch, signReviewed } from "../sign/Signing.ts"
import { writeSweepQuotesRequest } from "../wire/Batch.ts"
import { writeRequest } from "../wire/Offer.ts"
import {
  asBatchRefused,
  asNotSigned,
  asOrderMismatch,
  asUnfinished,
  asUnfinishedUnlessRefused,
  Declined,
  SweepFailed
} from "./Failures.ts"
import { inTime, sendKeys, type TaggedFailure, underOneKey, withRetries } from "./Retrying.ts"
import { INTENT, SWEEP, waitForEnd } from "./Waiting.ts"

type Intent = typeof IntentView.Type
type Sweep = typeof SweepView.Type

export interface Options {
  /** Base URL of the orchestrator. */
  readonly orchestratorUrl: string
  /** API key of the builder to whom every sweep is attributed. Default: none. */
  readonly apiKey?: string
  /** Limits of the review. Set at least `delegates`, if the package was built without them. */
  readonly review?: Omit<ReviewOptions, "nowMs">
  /** Retries of `quote` and `submit` after a lost response, 429 or 5xx. */
  readonly retry?: RetryOptions
}

export interface KeyedOptions {
  /** Idempotency key of the request, valid for 24 hours, of a quote for one hour. Default: a random key. */
  readonly idempotencyKey?: string
}

/** Dies if an address of the request is malformed. */
const asQuoteRequest = (request: SweepRequest): QuoteRequest => {
  const { maxNetworkFee: _, ...body } = writeRequest(request)
  return {
    ...body,
    owner: Address.of(request.owner),
    tokenIn: Address.of(request.tokenIn),
    amountIn: request.amountIn,
    tokenOut: Address.of(request.tokenOut),
    destination: Address.of(request.destination ?? request.owner),
    ...(request.maxNetworkFee === undefined ? {} : { maxNetworkFee: request.maxNetworkFee })
  }
}

const asOffer = ({ order, quote, signing }: typeof QuoteResponse.Type): Offer => ({
  quote,
  order,
  signing: { ...signing, authorization: { ...signing.authorization, nonce: Number(signing.authorization.nonce) } }
})

/** Dies if an address of the request is malformed. */
const asQuotesRequest = (request: SweepQuotesRequest): typeof WireQuotesRequest.Type => {
  const { tokens: _, ...body } = writeSweepQuotesRequest(request)
  return {
    ...body,
    owner: Address.of(request.owner),
    tokenOut: Address.of(request.tokenOut),
    destination: Address.of(request.destination ?? request.owner),
    tokens: request.tokens.map(({ minAmountOut: _minimum, token, ...rest }) => ({ ...rest, token: Address.of(token) }))
  }
}

const asSweepQuotes = ({ signing, ...rest }: typeof SweepQuotesResponse.Type): SweepQuotes => ({
  ...rest,
  ...(signing === undefined
    ? {}
    : { signing: { authorizations: signing.authorizations.map((each) => ({ ...each, nonce: Number(each.nonce) })) } })
})

const asAuthorization = (signed: SignedAuthorization) => ({
  ...signed,
  address: Address.of(signed.address),
  nonce: BigInt(signed.nonce)
})

const makeReview = ({ apiKey, review }: Options) =>
  Effect.fn("SweepApi.review")(function* (offer: Offer, request: SweepRequest) {
    const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return yield* Effect.try({
      try: () => reviewOrder(offer, attributed(request, apiKey), { ...review, nowMs }),
      catch: (error) => error
    }).pipe(Effect.catch(asOrderMismatch))
  })

/** Has the wallet sign, unless a quote has expired since its review. */
const signFresh = <Signed>(terms: ReadonlyArray<ReviewedTerms>, signed: () => Promise<Signed>) =>
  Effect.flatMap(
    Effect.clockWith((clock) => clock.currentTimeMillis),
    (nowMs) =>
      Effect.tryPromise({
        try: () => {
          refuseExpired(terms, nowMs)
          return signed()
        },
        catch: (error) => error
      })
  ).pipe(Effect.catch(asNotSigned))

const sign = Effect.fn("SweepApi.sign")((reviewed: SweepReview, signer: SweepSigner) =>
  signFresh([reviewed], () => signReviewed(reviewed, signer))
)

const signMany = Effect.fn("SweepApi.signBatch")((reviewed: BatchReview, signer: SweepSigner) =>
  signFresh(reviewed.legs, () => signBatch(reviewed, signer))
)

/** Sends a request under one key, with retries and a time limit for each attempt. */
const makeAttempts =
  ({ orchestratorUrl, retry }: Options) =>
  <A, E extends TaggedFailure>(path: string, request: Effect.Effect<A, E>, { idempotencyKey }: KeyedOptions) =>
    underOneKey(withRetries(retry)(inTime(HttpClientRequest.post(orchestratorUrl + path))(request)), idempotencyKey)

/** The same, with the last error alone as the failure. */
const makeOnce =
  (options: Options) =>
  <A, E extends TaggedFailure>(path: string, request: Effect.Effect<A, E>, keyed: KeyedOptions) =>
    Effect.mapError(makeAttempts(options)(path, request, keyed), ({ error }) => error)

const makeApi = (options: Options) =>
  HttpApiClient.make(OrchestratorApi, { baseUrl: options.orchestratorUrl, transformClient: sendKeys })

type Api = Effect.Success<ReturnType<typeof makeApi>>

const submission = (api: Api, signed: SignedSweep) =>
  api.intents.submit({ payload: { ...signed, authorization: asAuthorization(signed.authorization) } })

const makeSteps = Effect.fnUntraced(function* (options: Options) {
  const api = yield* makeApi(options)
  const { apiKey } = options
  const once = makeOnce(options)
  const polled = <A, E>(path: string, status: Effect.Effect<A, E>) =>
    inTime(HttpClientRequest.get(options.orchestratorUrl + path))(status)

  const quote = Effect.fn("SweepApi.quote")(function* (request: SweepRequest, keyed: KeyedOptions = {}) {
    return asOffer(
      yield* once("/quote", api.quotes.quote({ payload: asQuoteRequest(attributed(request, apiKey)) }), keyed)
    )
  })

  const review = makeReview(options)

  const submit = Effect.fn("SweepApi.submit")((signed: SignedSweep, keyed: KeyedOptions = {}) =>
    once("/intents", submission(api, signed), keyed)
  )

  const sweepQuotes = Effect.fn("SweepApi.sweepQuotes")(function* (
    request: SweepQuotesRequest,
    keyed: KeyedOptions = {}
  ) {
    const payload = asQuotesRequest(attributed(request, apiKey))
    return asSweepQuotes(yield* once("/quotes", api.quotes.quotes({ payload }), keyed))
  })

  const reviewQuotes = Effect.fn("SweepApi.reviewQuotes")(function* (quotes: SweepQuotes, request: SweepQuotesRequest) {
    const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return yield* Effect.try({
      try: () => reviewSweepQuotes(quotes, attributed(request, apiKey), { ...options.review, nowMs }),
      catch: (error) => error
    }).pipe(Effect.catch(asBatchRefused))
  })

  const submitSweep = Effect.fn("SweepApi.submitSweep")((signed: SignedBatch, keyed: KeyedOptions = {}) =>
    once(
      "/sweeps",
      api.sweeps.submit({ payload: { ...signed, authorizations: signed.authorizations.map(asAuthorization) } }),
      keyed
    )
  )

  const waitForSweep = Effect.fn("SweepApi.waitForSweep")(
    (id: string, onProgress: (sweep: Sweep) => Effect.Effect<void> = () => Effect.void) =>
      waitForEnd(id, SWEEP, {
        status: polled(`/sweeps/${id}`, api.sweeps.sweep({ params: { id } })),
        opened: api.sweeps.events({ params: { id }, responseMode: "response-only" }),
        onProgress
      })
  )

  const wait = Effect.fn("SweepApi.wait")(
    (id: string, onProgress: (intent: Intent) => Effect.Effect<void> = () => Effect.void) =>
      waitForEnd(id, INTENT, {
        status: polled(`/intents/${id}`, api.intents.status({ params: { id } })),
        opened: api.intents.events({ params: { id }, responseMode: "response-only" }),
        onProgress
      })
  )

  return {
    /** Client of every endpoint of the contract, with its errors by tag. */
    api,
    /** Requests a quote. Retries use the same idempotency key. */
    quote,
    /** Compares an offer with its request. Returns the facts to show to the user. */
    review,
    /** Has the wallet sign a reviewed order and its authorization. */
    sign,
    /** Submits a signed sweep. Retries use the same idempotency key. */
    submit,
    /** Requests quotes of many tokens for one signature. Retries use the same idempotency key. */
    sweepQuotes,
    /** Compares quotes with their request. Returns the facts to show to the user. */
    reviewQuotes,
    /** Has the wallet sign a reviewed batch once, and an authorization for each chain that needs one. */
    signBatch: signMany,
    /** Submits a signed batch. Retries use the same idempotency key. */
    submitSweep,
    /** Succeeds with the sweep once all its intents have ended. Has no timeout: add one with `Effect.timeout`. */
    waitForSweep,
    /** Succeeds with the intent once it is `delivered` or `failed`. Has no timeout: add one with `Effect.timeout`. */
    wait
  }
})

const make = Effect.fnUntraced(function* (options: Options) {
  const steps = yield* makeSteps(options)
  const attempts = makeAttempts(options)

  const sweep = Effect.fn("SweepApi.sweep")(function* (
    request: SweepRequest,
    signer: SweepSigner,
    more: {
      readonly confirm?: (review: SweepReview) => Effect.Effect<boolean>
      readonly onProgress?: (intent: Intent) => Effect.Effect<void>
    } = {}
  ) {
    const reviewed = yield* steps.review(yield* steps.quote(request), request)
    if (more.confirm !== undefined && !(yield* more.confirm(reviewed))) return yield* new Declined()
    const signed = yield* sign(reviewed, signer)
    const accepted = yield* attempts("/intents", submission(steps.api, signed), {}).pipe(
      asUnfinishedUnlessRefused(signed.quoteId)
    )
    const intent = yield* steps.wait(accepted.id, more.onProgress).pipe(asUnfinished(signed.quoteId))
    if (intent.status === "failed") {
      const { failureReason, id } = intent
      return yield* new SweepFailed({ id, ...(failureReason === undefined ? {} : { failureReason }) })
    }
    return { intent, review: reviewed }
  })

  return {
    ...steps,
    /** Quotes, reviews, signs, submits and waits. Fails with {@link Declined} if `confirm` returns false. */
    sweep
  }
})

/**
 * The steps of a sweep as effects.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const sweeps = yield* SweepApi
 *   return yield* sweeps.sweep(request, account, { confirm: (review) => askTheUser(review) })
 * }).pipe(
 *   Effect.provide(SweepApi.layer({ orchestratorUrl, review: { delegates: { 8453: "0x…" } } })),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 */
export class SweepApi extends Context.Service<SweepApi, Effect.Success<ReturnType<typeof make>>>()(
  "sweep/sdk/SweepApi"
) {
  static layer(options: Options): Layer.Layer<SweepApi, never, HttpClient.HttpClient> {
    return Layer.effect(SweepApi, make(options))
  }
}
