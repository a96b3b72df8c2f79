/** Metrics, traces and exported logs of a service. */
import { Layer, Metric, type Redacted } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import * as Otlp from "../adapters/telemetry/Otlp.ts"
import { INFO } from "../telemetry/metrics/Process.ts"

export interface Options {
  /** Collector that everything is sent to. Default: none. */
  readonly otlp?: Otlp.Options | undefined
}

/** True if somebody reads the metrics, so that gauges are worth reading from the database. */
export const isRead = (options: Options | undefined, metricsToken: Redacted.Redacted | undefined): boolean =>
  metricsToken !== undefined || options?.otlp !== undefined

/** Services in one process have metrics of their own. */
const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

/** Provide it to all of a service, since what runs outside of it is neither measured nor traced. */
export const layer = (service: "orchestrator" | "builder-backend", { otlp }: Options = {}) => {
  const { version } = packageJson
  const info = Layer.effectDiscard(INFO.record(1, { service, version }))
  const exported = otlp === undefined ? Otlp.untraced : Otlp.layer(otlp, { name: `sweep-${service}`, version })
  return Layer.mergeAll(info, exported).pipe(Layer.provideMerge(registry))
}
