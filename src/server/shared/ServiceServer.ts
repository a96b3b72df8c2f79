/** Serves the routes of a service: one lifecycle for both services. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { type Duration, Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as RouteTable from "./RouteTable.ts"
import { Stopping } from "./Stopping.ts"

/** Path of a service's OpenAPI document. */
export const OPENAPI_PATH = "/openapi.json"

/** The access log of `HttpShell` replaces the router's. */
export const SERVE_OPTIONS = { routerConfig: RouteTable.ROUTER_CONFIG, disableLogger: true } as const

export interface ListenOptions {
  readonly port: number
  readonly hostname?: string
  /** Time in which the server still answers, but is not ready, before it stops. Default: 0. */
  readonly drain?: Duration.Input
  /** Time that requests in flight have to finish when the server stops. Default: 3 seconds. */
  readonly gracefulShutdownTimeout?: Duration.Input
  /** Seconds without traffic until a connection is closed. Default: 120. */
  readonly idleTimeout?: number
}

/** A quote waits for several upstreams. Bun's own default closes a silent connection after 10 seconds. */
const IDLE_TIMEOUT_SECONDS = 120

/** Well below the 10 seconds after which `docker stop` kills. A request that is cut has changed nothing, or all durably. */
const GRACE: Duration.Input = "3 seconds"

/** Serves the routes on a given `HttpServer`. */
export const serve = <E, R>(routes: Layer.Layer<never, E, R>, drain: Duration.Input = 0) =>
  Stopping.signal(drain).pipe(
    Layer.provideMerge(HttpRouter.serve(routes, SERVE_OPTIONS)),
    Layer.provide(Stopping.layer)
  )

/** Listens on a port. On release the server is no longer ready, then stops accepting connections, and lets requests in flight finish. */
export const listen = <E, R>(routes: Layer.Layer<never, E, R>, { drain, ...options }: ListenOptions) =>
  serve(routes, drain).pipe(
    Layer.provideMerge(
      BunHttpServer.layer({ gracefulShutdownTimeout: GRACE, idleTimeout: IDLE_TIMEOUT_SECONDS, ...options })
    )
  )
