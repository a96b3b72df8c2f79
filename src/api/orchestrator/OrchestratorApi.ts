/** The orchestrator's HTTP contract (spec, "Orchestrator"): the server, the SDK and the documentation come from it. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Address from "../../domain/Address.ts"
import { ChainList, TokenList } from "../../domain/Catalog.ts"
import { ExposureReport } from "../../domain/ExposureReport.ts"
import { AlertView, Health } from "../../domain/Health.ts"
import { PortfolioView, PricesView, SweepableView } from "../../domain/Portfolio.ts"
import { RetryOutcome, StuckIntents } from "../../domain/StuckIntent.ts"
import { QuoteRequest } from "../../domain/Quote.ts"
import { SweepQuotesRequest } from "../../domain/SweepQuotes.ts"
import {
  ChainNotAnswering,
  InternalError,
  NotFound,
  RateLimitExceededResponse,
  RefusedResponse,
  ScreeningRefusedResponse,
  Unavailable,
  UnprocessableResponse,
  UpstreamFailed
} from "../shared/Errors.ts"
import {
  CountedIn,
  IdempotentQuote,
  IdempotentSubmission,
  JsonBody,
  OperatorOnly,
  RateLimited,
  Validated
} from "../shared/Middleware.ts"
import { SitesCounted } from "../shared/SitesCounted.ts"
import { stuckQuery } from "../shared/StuckQuery.ts"
import * as Document from "../shared/Document.ts"
import * as CatalogDocs from "./CatalogDocs.ts"
import * as Docs from "./Docs.ts"
import * as PortfolioDocs from "./PortfolioDocs.ts"
import * as OperatorDocs from "./OperatorDocs.ts"
import { Sweeps } from "./SweepApi.ts"
import * as SweepDocs from "./SweepDocs.ts"
import { SweepQuotesResponse } from "./SweepSchemas.ts"
import { Endpoints } from "./EndpointsApi.ts"
import { Lanes } from "./LanesApi.ts"
import { Limits } from "./LimitsApi.ts"
import { Pauses } from "./PausesApi.ts"
import { RateLimits } from "./RateLimitsApi.ts"
import { Stories } from "./StoriesApi.ts"
import { Treasury } from "./TreasuryApi.ts"
import { NotReady, Ready } from "./Readiness.ts"
import {
  ChainIdText,
  ClosedAlert,
  ClosedMessage,
  IntentAccepted,
  IntentSubmission,
  IntentView,
  Liveness,
  QuoteResponse,
  TickReport
} from "./Schemas.ts"
import { described } from "../../domain/Described.ts"

const intent = { id: described(Schema.String, "Identifier of the intent.") }
const owner = { owner: described(Address.NonZeroAddress, "Account whose balances are read.") }

export const Quotes = HttpApiGroup.make("quotes")
  .add(
    HttpApiEndpoint.post("quote", "/quote", {
      payload: QuoteRequest,
      success: QuoteResponse,
      error: [UnprocessableResponse, ScreeningRefusedResponse, Unavailable, ChainNotAnswering, InternalError]
    })
      .middleware(JsonBody)
      .middleware(IdempotentQuote)
      .annotateMerge(Docs.quote),
    HttpApiEndpoint.post("quotes", "/quotes", {
      payload: SweepQuotesRequest,
      success: SweepQuotesResponse,
      error: [ScreeningRefusedResponse, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .middleware(IdempotentQuote)
      .annotateMerge(SweepDocs.quotes)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "orchestrator")
  .annotate(SitesCounted, true)
  .annotateMerge(OpenApi.annotations({ description: "Prices sweeps and builds the orders to sign." }))

export const Intents = HttpApiGroup.make("intents")
  .add(
    HttpApiEndpoint.post("submit", "/intents", {
      payload: IntentSubmission,
      success: IntentAccepted.pipe(HttpApiSchema.status(201)),
      error: [RefusedResponse, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .middleware(IdempotentSubmission)
      .annotateMerge(Docs.submit),
    HttpApiEndpoint.get("status", "/intents/:id", {
      params: intent,
      success: IntentView,
      error: [NotFound, Unavailable, InternalError]
    }).annotateMerge(Docs.status),
    HttpApiEndpoint.get("events", "/intents/:id/events", {
      params: intent,
      success: [HttpApiSchema.StreamSse({ data: IntentView }), HttpApiSchema.NoContent],
      error: [NotFound, RateLimitExceededResponse, Unavailable, InternalError]
    }).annotateMerge(Docs.events)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "orchestrator")
  .annotateMerge(OpenApi.annotations({ description: "Accepts signed sweeps and returns their status." }))

export const Portfolios = HttpApiGroup.make("portfolio")
  .add(
    HttpApiEndpoint.get("portfolio", "/portfolio/:owner", {
      params: owner,
      success: PortfolioView,
      error: [UpstreamFailed, Unavailable, InternalError]
    }).annotateMerge(PortfolioDocs.portfolio),
    HttpApiEndpoint.get("sweepable", "/portfolio/:owner/sweepable", {
      params: owner,
      success: SweepableView,
      error: [UpstreamFailed, Unavailable, InternalError]
    }).annotateMerge(PortfolioDocs.sweepable)
  )
  .middleware(Validated)
  .middleware(RateLimited)
  .annotate(CountedIn, "orchestrator")
  .annotate(SitesCounted, true)
  .annotateMerge(OpenApi.annotations({ description: "Balances of an owner, and the part that can be swept." }))

export const Prices = HttpApiGroup.make("prices")
  .add(
    HttpApiEndpoint.get("listed", "/prices", {
      success: PricesView,
      error: [UpstreamFailed, Unavailable, InternalError]
    }).annotateMerge(PortfolioDocs.prices)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "orchestrator")
  .annotateMerge(OpenApi.annotations({ description: "Prices of listed tokens, for display." }))

export const Catalogs = HttpApiGroup.make("catalog")
  .add(
    HttpApiEndpoint.get("chains", "/chains", { success: ChainList, error: [InternalError] }).annotateMerge(
      CatalogDocs.chains
    ),
    HttpApiEndpoint.get("tokens", "/tokens", {
      query: { chainId: described(Schema.optionalKey(ChainIdText), "Only tokens of this chain.") },
      success: TokenList,
      error: [NotFound, InternalError]
    })
      .middleware(Validated)
      .annotateMerge(CatalogDocs.tokens)
  )
  .annotateMerge(OpenApi.annotations({ description: "Served chains and tokens. Cacheable, not rate limited." }))

export const Operator = HttpApiGroup.make("operator")
  .add(
    HttpApiEndpoint.post("tick", "/watch/tick", {
      success: TickReport,
      error: [Unavailable, InternalError]
    }).annotateMerge(OperatorDocs.tick),
    HttpApiEndpoint.get("health", "/admin/health", { success: Health, error: [InternalError] }).annotateMerge(
      OperatorDocs.health
    ),
    HttpApiEndpoint.get("alerts", "/admin/alerts", {
      success: Schema.Array(AlertView),
      error: [Unavailable, InternalError]
    }).annotateMerge(OperatorDocs.alerts),
    HttpApiEndpoint.get("exposure", "/admin/exposure", {
      success: ExposureReport,
      error: [Unavailable, InternalError]
    }).annotateMerge(OperatorDocs.exposure),
    HttpApiEndpoint.get("stuck", "/admin/intents", {
      query: stuckQuery,
      success: StuckIntents,
      error: [Unavailable, InternalError]
    })
      .middleware(Validated)
      .annotateMerge(OperatorDocs.stuck),
    HttpApiEndpoint.post("retry", "/admin/intents/:id/retry", {
      params: intent,
      success: RetryOutcome,
      error: [NotFound, Unavailable, InternalError]
    }).annotateMerge(OperatorDocs.retry),
    HttpApiEndpoint.post("closeMessage", "/admin/outbox/:id/close", {
      params: { id: described(Schema.String, "Identifier of the message: `details.outboxId` of its alert.") },
      success: ClosedMessage,
      error: [NotFound, Unavailable, InternalError]
    }).annotateMerge(OperatorDocs.closeMessage),
    HttpApiEndpoint.post("closeAlert", "/admin/alerts/:id/close", {
      params: { id: described(Schema.String, "Identifier of the alert.") },
      success: ClosedAlert,
      error: [NotFound, Unavailable, InternalError]
    }).annotateMerge(OperatorDocs.closeAlert)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({ description: "For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`." })
  )

export const System = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("liveness", "/healthz", { success: Liveness }).annotateMerge(OperatorDocs.liveness),
    HttpApiEndpoint.get("readiness", "/readyz", { success: Ready, error: [NotReady, InternalError] }).annotateMerge(
      OperatorDocs.readiness
    )
  )
  .annotateMerge(
    OpenApi.annotations({ description: "Liveness and readiness, for load balancers and container platforms." })
  )

export const OrchestratorApi = HttpApi.make("orchestrator")
  .add(
    Quotes,
    Intents,
    Sweeps,
    Portfolios,
    Prices,
    Catalogs,
    Operator,
    Stories,
    Lanes,
    Pauses,
    Limits,
    RateLimits,
    Endpoints,
    Treasury,
    System
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Token sweep orchestrator",
      version: "1",
      description: Docs.introduction,
      transform: Document.finish
    })
  )
