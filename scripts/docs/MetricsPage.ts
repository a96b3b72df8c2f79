/** `docs/reference/metrics.md`: every metric with its meaning and its labels, from their declarations. */
import type { Documented } from "../../src/telemetry/Family.ts"
import { groups } from "../../src/telemetry/metrics/Catalog.ts"
import { GENERATED } from "./Table.ts"

const section = ({ help, kind, labels, name }: Documented): ReadonlyArray<string> => [
  `### ${name}`,
  "",
  `${help} Kind: ${kind}.`,
  "",
  ...Object.entries(labels).map(([label, meaning]) => `- \`${label}\`: ${meaning}`),
  ""
]

/** The page as Markdown. */
export const metricsPage = (): string =>
  [
    "# Metrics",
    "",
    GENERATED,
    "",
    "For operators: every metric of `GET /metrics` and of OTLP, with its meaning and its labels. [Watch the service](../how-to/watch-the-service.md) tells how to read them.",
    "",
    "Counters start at 0 with each process, so read them by `rate` or `increase`. Gauges that are read from the database are the same in every replica, so read them by `max`. Names of series are bounded: a metric has at most 1,000 series in a process, and others are counted under the value `other` of each label.",
    "",
    ...groups.flatMap(({ families, title }) => [`## ${title}`, "", ...families.flatMap(section)])
  ].join("\n")
