/** The builder backend over HTTP: the contract's handlers, their middleware, the documentation and the web app. */
import { Effect, Layer } from "effect"
import { HttpMiddleware } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { BuilderSettings } from "../../builder/shared/BuilderSettings.ts"
import * as DocsPage from "../shared/DocsPage.ts"
import * as HttpShell from "../shared/HttpShell.ts"
import * as MetricsPage from "../shared/MetricsPage.ts"
import * as OperatorAuth from "../shared/OperatorAuth.ts"
import * as RateLimiting from "../shared/RateLimiting.ts"
import * as RouteTable from "../shared/RouteTable.ts"
import * as SecurityPage from "../shared/SecurityPage.ts"
import * as ServiceServer from "../shared/ServiceServer.ts"
import * as Validation from "../shared/Validation.ts"
import * as WrongTokens from "../shared/WrongTokens.ts"
import * as DeploymentHandlers from "../web/DeploymentHandlers.ts"
import * as WebRoutes from "../web/WebRoutes.ts"
import * as AccountHandlers from "./AccountHandlers.ts"
import * as ConsoleHandlers from "./ConsoleHandlers.ts"
import * as KeyHandlers from "./KeyHandlers.ts"
import * as MachineHandlers from "./MachineHandlers.ts"
import * as Middleware from "./Middleware.ts"
import * as RateLimitHandlers from "./RateLimitHandlers.ts"
import * as StoryHandlers from "./StoryHandlers.ts"
import * as SweepHandlers from "./SweepHandlers.ts"
import * as WebhookHandlers from "./WebhookHandlers.ts"
import * as OperationsHandlers from "./OperationsHandlers.ts"
import * as RequestErrors from "./RequestErrors.ts"

const table = RouteTable.make(BuilderApi, [
  ServiceServer.OPENAPI_PATH,
  ...MetricsPage.PATHS,
  ...DocsPage.PATHS,
  ...SecurityPage.PATHS,
  ...WebRoutes.PATHS
])

/** Only the dashboard's origins pass CORS, with the session cookie. */
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

const middleware = Layer.mergeAll(Middleware.layer, RequestErrors.layer, Validation.layer, RateLimiting.layer).pipe(
  Layer.provideMerge(OperatorAuth.layer),
  Layer.provide(RateLimiter.layer)
)

const handlers = Layer.mergeAll(
  AccountHandlers.auth,
  AccountHandlers.signup,
  AccountHandlers.me,
  AccountHandlers.attribution,
  AccountHandlers.system,
  KeyHandlers.keys,
  KeyHandlers.own,
  MachineHandlers.machine,
  ConsoleHandlers.console,
  SweepHandlers.sweeps,
  WebhookHandlers.webhooks,
  OperationsHandlers.operations,
  RateLimitHandlers.rateLimits,
  StoryHandlers.stories,
  DeploymentHandlers.deployment
).pipe(Layer.provide(middleware))

const api = HttpApiBuilder.layer(BuilderApi, { openapiPath: ServiceServer.OPENAPI_PATH }).pipe(Layer.provide(handlers))

const metrics = MetricsPage.layer.pipe(Layer.provide(RateLimiter.layer))

/** Every route. Needs the use cases, the ports they show, `BuilderSettings`, `ServerSettings`, `KeptOverrides` and a `RateLimiterStore`. */
export const routes = Layer.mergeAll(
  api,
  metrics,
  SecurityPage.layer,
  DocsPage.layer(BuilderApi),
  WebRoutes.layer,
  shell
).pipe(Layer.provide(WrongTokens.GuessedService.layer("builder-backend")))

/** Listens on a port of its own, and stops as {@link ServiceServer.listen} says. */
export const listen = (options: ServiceServer.ListenOptions) => ServiceServer.listen(routes, options)
