/**
 * Connects the contract to the use cases. The reason of a failure is logged, and its client sees only the status (spec,
 * "Errors").
 */
import { Deferred, Duration, Effect, Option, Result, Stream } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import {
  ChainNotAnswering,
  NotFound,
  Refused,
  ScreeningRefused,
  Unavailable,
  Unprocessable,
  UpstreamFailed,
  ValidationFailed
} from "../../api/shared/Errors.ts"
import { NotReady } from "../../api/orchestrator/Readiness.ts"
import { Intake } from "../../orchestrator/intake/Intake.ts"
import { SubmissionRefused } from "../../orchestrator/intake/SubmissionRefused.ts"
import { Readiness } from "../../orchestrator/operate/Readiness.ts"
import * as AskedTokens from "../../domain/AskedTokens.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { Portfolio } from "../../orchestrator/portfolio/Portfolio.ts"
import { Quoter } from "../../orchestrator/quote/Quoter.ts"
import type { QuoteFailed } from "../../orchestrator/quote/QuoteFailed.ts"
import { reasonOf } from "../../orchestrator/quote/Reasons.ts"
import type { RequestRefused } from "../../orchestrator/quote/RequestRefused.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import * as RequestNetwork from "../../ports/shared/RequestNetwork.ts"
import * as ClientNetwork from "../shared/ClientNetwork.ts"
import { Stopping } from "../shared/Stopping.ts"
import { mask } from "../shared/Masked.ts"
import { retryAfterSeconds } from "../shared/RetryAfter.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"
import * as EventStream from "./EventStream.ts"
import * as IntentEvents from "./IntentEvents.ts"
import * as IntentStates from "./IntentStates.ts"
import { submitOnce } from "./Resuming.ts"
import * as Signing from "./Signing.ts"

/** `Retry-After` while sanctions screening does not answer. */
const UNANSWERED_SECONDS = 2

const refused = mask(() => new Refused({}))
const screeningRefused = mask(() => new ScreeningRefused({}))
const screeningUnanswered = mask(() => new ScreeningRefused({ retryAfterSeconds: UNANSWERED_SECONDS }))
const submissionUnanswered = mask(() => new Refused({ retryAfterSeconds: UNANSWERED_SECONDS }))
const chainNotAnswering = mask(() => new ChainNotAnswering())
const unavailable = mask(() => new Unavailable())

const upstreamFailed = mask(() => new UpstreamFailed())

interface Passing {
  readonly retryAfterMillis?: number
}

const secondsOf = ({ retryAfterMillis = 0 }: Passing) => retryAfterSeconds(Duration.millis(retryAfterMillis))

/** A budget has no room for the sweep at the moment. The client may repeat the same request. */
const budgetSpent = (failure: Passing) => ({ isBudgetSpent: true, retryAfterSeconds: secondsOf(failure) })

/** Sets `Retry-After`. The contract cannot: of several failures with one status, none can have headers. */
const repeatAfter = (failure: Passing) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(secondsOf(failure))))
  )

/** A quote that failed for a reason that passes is refused with 503, so that its client repeats the request. */
const quoteFailed = (failure: QuoteFailed) => {
  switch (failure.reason) {
    case "store_unavailable":
    case "upstream_unavailable":
      return unavailable(failure)
    case "chain_unavailable":
      return chainNotAnswering(failure)
    case "too_busy":
      return Effect.andThen(repeatAfter(failure), unavailable(failure))
    case "fee_limit":
      return Effect.andThen(repeatAfter(failure), chainNotAnswering(failure))
    case "budget_spent":
      return mask(() => new Unprocessable({ reason: reasonOf(failure), retryAfterSeconds: secondsOf(failure) }))(
        failure
      )
    default:
      return mask(() => new Unprocessable({ reason: reasonOf(failure) }))(failure)
  }
}

const requestRefused = ({ message }: RequestRefused) => new ValidationFailed({ error: message })

/** Makes the effect that returns the network of the request's client; undefined if it is unknown. */
const makeNetwork = Effect.map(ServerSettings, ({ trustedProxyHops }) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    Option.getOrUndefined(ClientNetwork.fromRequest(request, trustedProxyHops))
  )
)

export const quotes = HttpApiBuilder.group(
  OrchestratorApi,
  "quotes",
  Effect.fnUntraced(function* (handlers) {
    const quoter = yield* Quoter
    const network = yield* makeNetwork
    return handlers
      .handle(
        "quote",
        Effect.fn("POST /quote")(
          function* ({ payload }) {
            const offer = yield* quoter.quote(payload, yield* network)
            return { quote: offer.quote, order: offer.order, signing: Signing.order(offer.signing) }
          },
          Effect.catchTags({
            ScreeningBlocked: (blocked) =>
              blocked.cause === "unavailable" ? screeningUnanswered(blocked) : screeningRefused(blocked),
            QuoteFailed: quoteFailed,
            RequestRefused: requestRefused
          })
        )
      )
      .handle(
        "quotes",
        Effect.fn("POST /quotes")(
          function* ({ payload }) {
            const { signing, ...offer } = yield* quoter.quoteAll(payload, yield* network)
            return { ...offer, ...(signing === undefined ? {} : { signing: Signing.batch(signing) }) }
          },
          Effect.catchTags({
            ScreeningBlocked: screeningRefused,
            RequestRefused: requestRefused
          })
        )
      )
  })
)

export const intents = HttpApiBuilder.group(
  OrchestratorApi,
  "intents",
  Effect.fnUntraced(function* (handlers) {
    const intake = yield* Intake
    const { trustedProxyHops } = yield* ServerSettings
    const states = yield* IntentStates.make(yield* Intents)
    const respond = yield* EventStream.make
    const known = Effect.fnUntraced(function* (id: string) {
      const found = Uuid.isUuid(id) ? yield* states.find(Uuid.stored(id)) : Option.none()
      return yield* Effect.mapError(Effect.fromOption(found), () => new NotFound())
    })
    return handlers
      .handle(
        "submit",
        Effect.fn("POST /intents")(
          function* ({ payload }) {
            if (!Uuid.isUuid(payload.quoteId)) {
              return yield* new SubmissionRefused({ reason: "unknown_quote", detail: "the quote id is not a UUID" })
            }
            const network = ClientNetwork.fromRequest(yield* HttpServerRequest.HttpServerRequest, trustedProxyHops)
            const submission = {
              ...payload,
              quoteId: Uuid.stored(payload.quoteId),
              ...(Option.isSome(network) ? { network: network.value } : {})
            }
            return yield* submitOnce(intake.submit(submission), intake.accepted(submission))
          },
          Effect.catchTags({
            SubmissionRefused: (refusal) => {
              if (refusal.reason === "screening_unavailable") return submissionUnanswered(refusal)
              return refusal.reason === "budget_spent"
                ? mask(() => new Refused(budgetSpent(refusal)))(refusal)
                : refused(refusal)
            },
            StoreUnavailable: unavailable,
            TooBusy: (busy) => Effect.andThen(repeatAfter(busy), unavailable(busy))
          })
        )
      )
      .handle(
        "status",
        Effect.fn("GET /intents/:id")(
          ({ params }) => known(params.id),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "events",
        Effect.fn("GET /intents/:id/events")(
          ({ params }) =>
            Effect.flatMap(known(params.id), (state) =>
              respond(IntentEvents.ofIntent(state), Stream.map(states.follow(state), IntentEvents.ofIntent))
            ),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
  })
)

/**
 * The query's `tokens`. The contract leaves the query out, because a client of the contract could then make no request without one.
 */
const askedTokens = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : ""
  const read = AskedTokens.read(new URLSearchParams(query).get("tokens") ?? undefined)
  return Result.isSuccess(read) ? read.success : yield* new ValidationFailed({ error: `tokens: ${read.failure}` })
})

export const portfolios = HttpApiBuilder.group(
  OrchestratorApi,
  "portfolio",
  Effect.fnUntraced(function* (handlers) {
    const portfolio = yield* Portfolio
    const network = yield* makeNetwork
    const forClient = <A, E, R>(reading: Effect.Effect<A, E, R>) =>
      Effect.flatMap(network, (of) => RequestNetwork.of(of)(reading))
    return handlers
      .handle(
        "portfolio",
        Effect.fn("GET /portfolio/:owner")(
          ({ params }) => Effect.flatMap(askedTokens, (tokens) => portfolio.portfolio(params.owner, tokens)),
          forClient,
          Effect.catchTag("PortfolioUnavailable", upstreamFailed)
        )
      )
      .handle(
        "sweepable",
        Effect.fn("GET /portfolio/:owner/sweepable")(
          ({ params }) => Effect.flatMap(askedTokens, (tokens) => portfolio.sweepable(params.owner, tokens)),
          forClient,
          Effect.catchTag("PortfolioUnavailable", upstreamFailed)
        )
      )
  })
)

export const system = HttpApiBuilder.group(
  OrchestratorApi,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const readiness = yield* Readiness
    const stopping = yield* Stopping
    return handlers
      .handle("liveness", () => Effect.succeed({ ok: true as const }))
      .handle(
        "readiness",
        Effect.fn("GET /readyz")(function* () {
          const { chains, unready: missing } = yield* readiness.check
          const unready = (yield* Deferred.isDone(stopping)) ? ([...missing, "stopping"] as const) : missing
          if (unready.length > 0) return yield* new NotReady({ unready, chains })
          return { ok: true as const, chains }
        })
      )
  })
)

export const prices = HttpApiBuilder.group(
  OrchestratorApi,
  "prices",
  Effect.fnUntraced(function* (handlers) {
    const portfolio = yield* Portfolio
    return handlers.handle(
      "listed",
      Effect.fn("GET /prices")(() => portfolio.prices, Effect.catchTag("PortfolioUnavailable", upstreamFailed))
    )
  })
)
