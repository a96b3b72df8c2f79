/** The orchestrator over HTTP: the contract's handlers with everything that surrounds them. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { type Duration, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { OperatorOnly } from "../../api/shared/Middleware.ts"
import type { HealthCheck } from "../../orchestrator/operate/HealthCheck.ts"
import type { Intake } from "../../orchestrator/intake/Intake.ts"
import type { IntentDesk } from "../../orchestrator/operate/IntentDesk.ts"
import type { Portfolio } from "../../orchestrator/portfolio/Portfolio.ts"
import type { Quoter } from "../../orchestrator/quote/Quoter.ts"
import type { Watcher } from "../../orchestrator/watch/Watcher.ts"
import type { Alerts } from "../../ports/shared/Alerts.ts"
import type { Chains } from "../../ports/shared/Chains.ts"
import type { Idempotency } from "../../ports/shared/Idempotency.ts"
import type { Intents } from "../../ports/orchestrator/Intents.ts"
import * as DocsPage from "../shared/DocsPage.ts"
import * as HttpShell from "../shared/HttpShell.ts"
import * as OperatorAuth from "../shared/OperatorAuth.ts"
import * as RateLimiting from "../shared/RateLimiting.ts"
import * as RouteTable from "../shared/RouteTable.ts"
import type { ServerSettings } from "../shared/ServerSettings.ts"
import { Stopping } from "../shared/Stopping.ts"
import * as Validation from "../shared/Validation.ts"
import * as CatalogHandlers from "./CatalogHandlers.ts"
import * as Handlers from "./Handlers.ts"
import * as OperatorHandlers from "./OperatorHandlers.ts"

const OPENAPI_PATH = "/openapi.json"

const table = RouteTable.make(OrchestratorApi, [OPENAPI_PATH, DocsPage.PATH])

/** Operator routes are not for browsers, so they get no CORS headers. */
const shell = HttpShell.layer({
  routes: table,
  cors: (request) =>
    table.find(request.url)?.endpoint?.middlewares.has(OperatorOnly) === true ? undefined : HttpShell.openCors
})

const middleware = Layer.mergeAll(
  OperatorAuth.layer,
  Validation.layer,
  RateLimiting.layer.pipe(Layer.provide(RateLimiter.layer))
)

const handlers = Layer.mergeAll(
  Handlers.quotes,
  Handlers.intents,
  Handlers.portfolios,
  Handlers.prices,
  CatalogHandlers.catalog,
  OperatorHandlers.operator,
  Handlers.system
).pipe(Layer.provide(middleware))

const api = HttpApiBuilder.layer(OrchestratorApi, { openapiPath: OPENAPI_PATH }).pipe(Layer.provide(handlers))

/** Every route. Needs the use cases, `ServerSettings`, `Stopping` and a `RateLimiterStore`. */
export const routes = Layer.mergeAll(api, DocsPage.layer(OrchestratorApi), shell)

/** Serves the routes on a given `HttpServer`. */
export const layer = Stopping.signal.pipe(
  Layer.provideMerge(HttpRouter.serve(routes, { routerConfig: RouteTable.ROUTER_CONFIG, disableLogger: true })),
  Layer.provide(Stopping.layer)
)

export interface ListenOptions {
  readonly port: number
  readonly hostname?: string
  /** How long requests in flight may take to finish when the server stops; {@link GRACE} unless told. */
  readonly gracefulShutdownTimeout?: Duration.Input
}

/** A quote waits for several upstreams; Bun would cut a silent connection after 10 seconds. */
const IDLE_TIMEOUT_SECONDS = 120

/** Well below the 10 seconds after which `docker stop` kills. A request that is cut has changed nothing, or durably all. */
const GRACE: Duration.Input = "3 seconds"

/** Listens on a port of its own. On release it stops accepting and lets requests in flight finish. */
export const listen = (options: ListenOptions) =>
  layer.pipe(
    Layer.provideMerge(
      BunHttpServer.layer({ gracefulShutdownTimeout: GRACE, ...options, idleTimeout: IDLE_TIMEOUT_SECONDS })
    )
  )

/** What the routes need of the application. */
export type Services =
  | Quoter
  | Intake
  | Intents
  | Portfolio
  | Watcher
  | HealthCheck
  | IntentDesk
  | Alerts
  | Chains
  | Idempotency
  | ServerSettings
  | RateLimiter.RateLimiterStore

/** The routes as a function of web requests, without a socket. */
export const webHandler = <E>(services: Layer.Layer<Services, E>) =>
  HttpRouter.toWebHandler(
    routes.pipe(Layer.provide(Stopping.layer), Layer.provideMerge(services), Layer.provide(HttpServer.layerServices)),
    {
      routerConfig: RouteTable.ROUTER_CONFIG,
      disableLogger: true
    }
  )
