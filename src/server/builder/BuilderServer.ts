/** The builder backend over HTTP: the contract's handlers with everything that surrounds them. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { type Duration, Effect, Layer } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { BuilderSettings } from "../../builder/shared/BuilderSettings.ts"
import * as DocsPage from "../shared/DocsPage.ts"
import * as HttpShell from "../shared/HttpShell.ts"
import * as OperatorAuth from "../shared/OperatorAuth.ts"
import * as RateLimiting from "../shared/RateLimiting.ts"
import * as RouteTable from "../shared/RouteTable.ts"
import * as Validation from "../shared/Validation.ts"
import * as DeploymentHandlers from "../web/DeploymentHandlers.ts"
import * as WebRoutes from "../web/WebRoutes.ts"
import * as AccountHandlers from "./AccountHandlers.ts"
import * as ConsoleHandlers from "./ConsoleHandlers.ts"
import * as MachineHandlers from "./MachineHandlers.ts"
import * as Middleware from "./Middleware.ts"
import * as SweepHandlers from "./SweepHandlers.ts"
import * as WebhookHandlers from "./WebhookHandlers.ts"
import * as OperationsHandlers from "./OperationsHandlers.ts"

const OPENAPI_PATH = "/openapi.json"

const table = RouteTable.make(BuilderApi, [OPENAPI_PATH, DocsPage.PATH, ...WebRoutes.PATHS])

/** Browsers may ask from the dashboard alone, with the session cookie. */
const shell = Layer.unwrap(
  Effect.map(BuilderSettings, ({ dashboardOrigins }) => {
    const cors = HttpMiddleware.cors({
      allowedOrigins: (origin) => dashboardOrigins.includes(origin),
      allowedMethods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
      exposedHeaders: ["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"],
      credentials: true,
      maxAge: 600
    })
    return HttpShell.layer({ routes: table, cors: () => cors })
  })
)

const middleware = Layer.mergeAll(
  Middleware.layer,
  Validation.layer,
  RateLimiting.layer.pipe(Layer.provide(RateLimiter.layer))
).pipe(Layer.provideMerge(OperatorAuth.layer))

const handlers = Layer.mergeAll(
  AccountHandlers.auth,
  AccountHandlers.signup,
  AccountHandlers.me,
  AccountHandlers.attribution,
  AccountHandlers.system,
  MachineHandlers.machine,
  ConsoleHandlers.console,
  SweepHandlers.sweeps,
  WebhookHandlers.webhooks,
  OperationsHandlers.operations,
  DeploymentHandlers.deployment
).pipe(Layer.provide(middleware))

const api = HttpApiBuilder.layer(BuilderApi, { openapiPath: OPENAPI_PATH }).pipe(Layer.provide(handlers))

/** Every route. Needs the use cases, the ports they show, `BuilderSettings`, `ServerSettings` and a `RateLimiterStore`. */
export const routes = Layer.mergeAll(api, DocsPage.layer(BuilderApi), WebRoutes.layer, shell)

/** Serves the routes on a given `HttpServer`. */
export const layer = HttpRouter.serve(routes, { routerConfig: RouteTable.ROUTER_CONFIG, disableLogger: true })

export interface ListenOptions {
  readonly port: number
  readonly hostname?: string
  /** How long requests in flight may take to finish when the server stops. */
  readonly gracefulShutdownTimeout?: Duration.Input
}

/** Listens on a port of its own. On release it stops accepting and lets requests in flight finish. */
export const listen = (options: ListenOptions) => layer.pipe(Layer.provideMerge(BunHttpServer.layer(options)))

/** The routes as a function of web requests, without a socket. */
export const webHandler = (services: Layer.Layer<Exclude<Layer.Services<typeof routes>, HttpRouter.HttpRouter>>) =>
  HttpRouter.toWebHandler(routes.pipe(Layer.provide(services), Layer.provide(HttpServer.layerServices)), {
    routerConfig: RouteTable.ROUTER_CONFIG,
    disableLogger: true
  })
