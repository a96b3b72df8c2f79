/** Notices about a service's alerts, and its heartbeat. */
import { Effect, Layer, type Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as AlertDestinationsHttp from "../adapters/http/AlertDestinationsHttp.ts"
import * as AlertDelivery from "../runtime/AlertDelivery.ts"
import * as Heartbeat from "../runtime/Heartbeat.ts"

export interface Options extends Omit<AlertDelivery.Options, "service"> {
  readonly destinations: ReadonlyArray<AlertDestinationsHttp.Destination>
  readonly heartbeatUrl: Redacted.Redacted | undefined
}

/** Runs until the scope closes. Without destinations and URL, nothing is sent. `isAble`: the service can work. */
export const layer = <R>(
  service: "orchestrator" | "builder-backend",
  options: Options,
  isAble: Effect.Effect<boolean, never, R>
) => {
  const { destinations, heartbeatUrl } = options
  const heartbeat =
    heartbeatUrl === undefined
      ? Layer.empty
      : Layer.unwrap(
          Effect.map(HttpClient.HttpClient, (client) =>
            Heartbeat.layer(AlertDestinationsHttp.heartbeat(client, heartbeatUrl), isAble)
          )
        )
  return Layer.merge(
    AlertDelivery.layer({ ...options, service }).pipe(Layer.provide(AlertDestinationsHttp.layer(destinations))),
    heartbeat
  ).pipe(Layer.provide(FetchHttpClient.layer))
}
