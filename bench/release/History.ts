/** One line of JSON for each release in `bench/history/releases.jsonl`, and what became worse since the latest one. */
import { Schema } from "effect"
import { FIGURES } from "./Figures.ts"

const Release = Schema.Struct({
  version: Schema.String,
  /** Day of the run in UTC, as in 2026-11-23. */
  day: Schema.String,
  machine: Schema.Struct({
    cpu: Schema.String,
    cores: Schema.Int,
    memoryGiB: Schema.Int,
    /** Load of the last minute before the first benchmark: programs that wanted a core. */
    load: Schema.Finite
  }),
  /** By the ids of the figures. */
  figures: Schema.Record(Schema.String, Schema.Finite)
})
export type Release = typeof Release.Type

const Line = Schema.fromJsonString(Release)

/** Fails if a line is not a release. */
export const parse = (text: string): ReadonlyArray<Release> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeSync(Line)(line))

export const lineOf = (release: Release): string => `${Schema.encodeSync(Line)(release)}\n`

/** A ratio may be worse than that of the latest release by this share. */
export const TOLERANCE = 0.1

export interface Regression {
  readonly title: string
  readonly before: number
  readonly after: number
}

/** Ratios of the run that are worse than those of the release by more than {@link TOLERANCE}, and those that are missing now. */
export const regressions = (
  { figures: before }: Pick<Release, "figures">,
  after: Readonly<Record<string, number>>
): ReadonlyArray<Regression> =>
  FIGURES.flatMap(({ better, id, isRatio, title }) => {
    const [old, now] = [before[id], after[id] ?? Number.NaN]
    if (!isRatio || old === undefined) return []
    const holds = better === "higher" ? now >= old * (1 - TOLERANCE) : now <= old * (1 + TOLERANCE)
    return holds ? [] : [{ title, before: old, after: now }]
  })
