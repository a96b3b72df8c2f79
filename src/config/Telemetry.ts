/** Settings of metrics, traces and exported logs. */
import { Config } from "effect"
import { integer, optional, secret, setting } from "./Setting.ts"

export const telemetry = {
  metricsToken: secret({
    name: "METRICS_TOKEN",
    meaning:
      "Bearer token of `GET /metrics`, with which Prometheus reads the metrics. It opens nothing else. If not set, the route is closed."
  }),
  otlpEndpoint: optional({
    name: "OTLP_ENDPOINT",
    check: Config.URL,
    meaning:
      "Base URL of an OpenTelemetry collector that takes OTLP over HTTP, e.g. `http://collector:4318`. If set, metrics and logs are sent to it, and traces if `TRACES_SAMPLED_PERCENT` is above 0."
  }),
  otlpHeaders: secret({
    name: "OTLP_HEADERS",
    meaning:
      "Headers of requests to `OTLP_ENDPOINT`, as `name=value`, separated by commas, e.g. `authorization=Bearer …`."
  }),
  tracesSampledPercent: setting({
    name: "TRACES_SAMPLED_PERCENT",
    default: 0,
    check: integer({ from: 0, to: 100 }),
    meaning:
      "Share of traces that are recorded and sent to `OTLP_ENDPOINT`, in percent. A trace follows a sweep from its quote to its delivery over both services, so set the same share for both."
  })
} as const
