/** The sources of sanctions screening that the settings name. */
import { Option } from "effect"
import type * as Screening from "../apps/orchestrator/Screening.ts"
import type { OrchestratorValues } from "../config/Orchestrator.ts"

type Values = Pick<
  OrchestratorValues,
  | "chainalysisApiKey"
  | "chainalysisApiUrl"
  | "ofacLastListFile"
  | "ofacMaxRemovedPercent"
  | "ofacRefreshMinutes"
  | "ofacSnapshot"
  | "ofacSnapshotUrl"
>

export const fromSettings = (values: Values): Screening.Options => ({
  refreshMillis: values.ofacRefreshMinutes * 60_000,
  lists: {
    file: Option.getOrUndefined(Option.map(values.ofacSnapshot, (path) => ({ path }))),
    download: Option.getOrUndefined(Option.map(values.ofacSnapshotUrl, ({ href: url }) => ({ url }))),
    keepIn: Option.getOrUndefined(values.ofacLastListFile),
    maxRemovedPercent: values.ofacMaxRemovedPercent
  },
  chainalysis: Option.getOrUndefined(
    Option.map(values.chainalysisApiKey, (apiKey) => ({ apiKey, baseUrl: values.chainalysisApiUrl.href }))
  )
})
