/** Metrics of a test, read as an operator's Prometheus reads them. */
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

/** Runs an effect with metrics of its own, which no other test changes. */
export const isolated = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

/** The series of a metric as they are exposed, e.g. `sweep_quotes_total{outcome="offered"} 1`, sorted. */
export const series = (name: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(PrometheusMetrics.format(), (text) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .toSorted()
  )
