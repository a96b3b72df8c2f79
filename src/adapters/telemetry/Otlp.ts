/** Sends metrics, logs and traces to an OpenTelemetry collector, by OTLP over HTTP. A collector that is down costs nothing but them. */
import { Duration, Effect, Layer, References, Redacted, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import * as SafeTracer from "./SafeTracer.ts"

export interface Options {
  /** Base URL of the collector. */
  readonly endpoint: string
  /** Sent with each request. */
  readonly headers?: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
  /** Share of traces that are recorded. 0: none. */
  readonly sampledPercent: number
}

export interface Service {
  readonly name: string
  readonly version: string
}

/** Time limit of a request to the collector. */
const TIMEOUT = Duration.seconds(10)

/** Time that a stopping service has to send what is left. */
const SHUTDOWN = Duration.seconds(2)

/** Spans of many kinds are made all the time. Without a collector for them they are not made at all. */
export const untraced = Layer.succeed(References.TracerEnabled, false)

const client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((response, request) =>
      Effect.timeoutOrElse(response, {
        duration: TIMEOUT,
        orElse: () =>
          Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, description: "no answer in time" })
            })
          )
      })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** Provides the tracer, the exporters and an additional logger. */
export const layer = ({ endpoint, headers, sampledPercent }: Options, { name, version }: Service) => {
  const base = endpoint.replace(/\/+$/, "")
  const common = {
    resource: { serviceName: name, serviceVersion: version },
    headers: headers === undefined ? {} : Redacted.value(headers),
    shutdownTimeout: SHUTDOWN
  }
  const traces =
    sampledPercent === 0
      ? untraced
      : Layer.effect(
          Tracer.Tracer,
          Effect.map(OtlpTracer.make({ ...common, url: `${base}/v1/traces` }), (tracer) =>
            SafeTracer.make(tracer, sampledPercent)
          )
        ).pipe(Layer.provide(OtlpExporter.layerFlusher))
  return Layer.mergeAll(
    traces,
    OtlpMetrics.layer({ ...common, url: `${base}/v1/metrics` }),
    OtlpLogger.layer({ ...common, url: `${base}/v1/logs`, mergeWithExisting: true })
  ).pipe(Layer.provide([OtlpSerialization.layerJson, client]))
}
