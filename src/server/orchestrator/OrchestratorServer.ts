/** The orchestrator over HTTP: the contract's handlers, their middleware and the documentation. */
import { Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { UNAVAILABLE } from "../../api/shared/Errors.ts"
import { IdempotentQuote, IdempotentSubmission, OperatorOnly } from "../../api/shared/Middleware.ts"
import type { HealthCheck } from "../../orchestrator/operate/HealthCheck.ts"
import type { Intake } from "../../orchestrator/intake/Intake.ts"
import type { SweepIntake } from "../../orchestrator/intake/SweepIntake.ts"
import type { Readiness } from "../../orchestrator/operate/Readiness.ts"
import type { IntentDesk } from "../../orchestrator/operate/IntentDesk.ts"
import type { EndpointDesk } from "../../orchestrator/operate/EndpointDesk.ts"
import type { LaneDesk } from "../../orchestrator/operate/LaneDesk.ts"
import type { LimitDesk } from "../../orchestrator/operate/LimitDesk.ts"
import type { PauseDesk } from "../../orchestrator/operate/PauseDesk.ts"
import type { StoryDesk } from "../../orchestrator/operate/StoryDesk.ts"
import type { KeptOverrides } from "../../runtime/KeptOverrides.ts"
import type { OrchestratorSettings } from "../../orchestrator/shared/OrchestratorSettings.ts"
import type { Portfolio } from "../../orchestrator/portfolio/Portfolio.ts"
import type { OutboxDelivery } from "../../orchestrator/outbox/OutboxDelivery.ts"
import type { Quoter } from "../../orchestrator/quote/Quoter.ts"
import type { Treasury } from "../../orchestrator/treasury/Treasury.ts"
import type { Watcher } from "../../orchestrator/watch/Watcher.ts"
import type { Exposures } from "../../ports/orchestrator/Exposures.ts"
import type { Overrides } from "../../ports/shared/Overrides.ts"
import type { Alerts } from "../../ports/shared/Alerts.ts"
import type { Chains } from "../../ports/shared/Chains.ts"
import type { Idempotency } from "../../ports/shared/Idempotency.ts"
import type { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import type { Intents } from "../../ports/orchestrator/Intents.ts"
import * as DocsPage from "../shared/DocsPage.ts"
import * as HttpShell from "../shared/HttpShell.ts"
import * as MetricsPage from "../shared/MetricsPage.ts"
import * as OperatorAuth from "../shared/OperatorAuth.ts"
import * as IdempotentRequests from "../shared/IdempotentRequests.ts"
import * as RateLimiting from "../shared/RateLimiting.ts"
import * as RouteTable from "../shared/RouteTable.ts"
import type { ServerSettings } from "../shared/ServerSettings.ts"
import * as SecurityPage from "../shared/SecurityPage.ts"
import * as ServiceServer from "../shared/ServiceServer.ts"
import { Stopping } from "../shared/Stopping.ts"
import * as Validation from "../shared/Validation.ts"
import * as WrongTokens from "../shared/WrongTokens.ts"
import * as CatalogHandlers from "./CatalogHandlers.ts"
import * as EndpointHandlers from "./EndpointHandlers.ts"
import * as Handlers from "./Handlers.ts"
import * as LaneHandlers from "./LaneHandlers.ts"
import * as LimitHandlers from "./LimitHandlers.ts"
import * as OperatorHandlers from "./OperatorHandlers.ts"
import * as PauseHandlers from "./PauseHandlers.ts"
import * as RateLimitHandlers from "./RateLimitHandlers.ts"
import * as StoryHandlers from "./StoryHandlers.ts"
import * as SweepHandlers from "./SweepHandlers.ts"
import * as TreasuryHandlers from "./TreasuryHandlers.ts"

const table = RouteTable.make(OrchestratorApi, [
  ServiceServer.OPENAPI_PATH,
  ...MetricsPage.PATHS,
  ...SecurityPage.PATHS,
  ...DocsPage.PATHS
])

/** True if the target of a request is a route of the orchestrator. */
export const answers = (url: string): boolean => table.find(url) !== undefined

/** True for the routes that quote and accept sweeps. */
const takesSweeps = (url: string): boolean => {
  const middlewares = table.find(url)?.endpoint?.middlewares
  return middlewares?.has(IdempotentQuote) === true || middlewares?.has(IdempotentSubmission) === true
}

/** True for the routes that need an operator's token. */
const isForOperators = (url: string): boolean => {
  const entry = table.find(url)
  return entry?.endpoint?.middlewares.has(OperatorOnly) === true || MetricsPage.isHere(entry?.pattern)
}

/** Operator routes are not for browsers, so they get no CORS headers. */
const shell = HttpShell.layer({
  routes: table,
  cors: (request) => (isForOperators(request.url) ? undefined : HttpShell.openCors),
  // Also for failures that no handler sees, such as a request that takes too long.
  unavailable: (request) => (takesSweeps(request.url) ? { "sweep-reason": UNAVAILABLE } : {})
})

const middleware = Layer.mergeAll(
  OperatorAuth.layer,
  Validation.layer,
  IdempotentRequests.layer,
  RateLimiting.layer
).pipe(Layer.provide(RateLimiter.layer))

const handlers = Layer.mergeAll(
  Handlers.quotes,
  Handlers.intents,
  SweepHandlers.sweeps,
  Handlers.portfolios,
  Handlers.prices,
  CatalogHandlers.catalog,
  OperatorHandlers.operator,
  StoryHandlers.stories,
  LaneHandlers.lanes,
  PauseHandlers.pauses,
  LimitHandlers.limits,
  RateLimitHandlers.rateLimits,
  EndpointHandlers.endpoints,
  TreasuryHandlers.treasury,
  Handlers.system
).pipe(Layer.provide(middleware))

const api = HttpApiBuilder.layer(OrchestratorApi, { openapiPath: ServiceServer.OPENAPI_PATH }).pipe(
  Layer.provide(handlers)
)

const metrics = MetricsPage.layer.pipe(Layer.provide(RateLimiter.layer))

/** Every route. Needs the use cases, their settings, `ServerSettings`, `Stopping` and a `RateLimiterStore`. */
export const routes = Layer.mergeAll(api, metrics, SecurityPage.layer, DocsPage.layer(OrchestratorApi), shell).pipe(
  Layer.provide(WrongTokens.GuessedService.layer("orchestrator"))
)

/** Listens on a port of its own, and stops as {@link ServiceServer.listen} says. */
export const listen = (options: ServiceServer.ListenOptions) => ServiceServer.listen(routes, options)

/** Services of the application that the routes use. */
export type Services =
  | Quoter
  | Intake
  | SweepIntake
  | Intents
  | Portfolio
  | Watcher
  | HealthCheck
  | IntentDesk
  | LaneDesk
  | PauseDesk
  | LimitDesk
  | EndpointDesk
  | StoryDesk
  | KeptOverrides
  | Overrides
  | Readiness
  | Treasury
  | OutboxDelivery
  | Alerts
  | Exposures
  | Chains
  | Idempotency
  | LaneBook
  | OrchestratorSettings
  | ServerSettings
  | RateLimiter.RateLimiterStore

/** The routes as a function of web requests, for embedding without a socket. */
export const webHandler = <E>(services: Layer.Layer<Services, E>) =>
  HttpRouter.toWebHandler(
    routes.pipe(Layer.provide(Stopping.layer), Layer.provideMerge(services), Layer.provide(HttpServer.layerServices)),
    ServiceServer.SERVE_OPTIONS
  )
