/** Findings of `./sweep doctor`: what was seen of a deployment, and what to do about it. */
import { Schema } from "effect"

/** `error`: sweeps fail, or money or data is at risk. `warning`: it works, and may stop working. */
export const Level = Schema.Literals(["ok", "warning", "error"])
export type Level = typeof Level.Type

/** A kind of finding. The code is stable, so that scripts may compare it. */
export interface Kind {
  readonly code: string
  readonly level: Level
  /** For the reference of findings. */
  readonly meaning: string
  /** The action to take. Empty for `ok`. */
  readonly advice: string
}

export const Finding = Schema.Struct({
  level: Level,
  code: Schema.String,
  /** The part of the deployment: a setting, a chain, a host, an account. */
  subject: Schema.String,
  seen: Schema.String,
  advice: Schema.String
})
export type Finding = typeof Finding.Type

/** Makes the finding of a kind. `advice` replaces that of the kind where more is known. */
export const found = (kind: Kind, subject: string, seen: string, advice: string = kind.advice): Finding => ({
  level: kind.level,
  code: kind.code,
  subject,
  seen,
  advice
})

export const ok = (code: string, meaning: string): Kind => ({ code, level: "ok", meaning, advice: "" })
export const warning = (code: string, meaning: string, advice: string): Kind => ({
  code,
  level: "warning",
  meaning,
  advice
})
export const error = (code: string, meaning: string, advice: string): Kind => ({
  code,
  level: "error",
  meaning,
  advice
})

/** Numbers of findings by level. */
export const counts = (findings: ReadonlyArray<Finding>): Readonly<Record<Level, number>> => {
  const of = (level: Level) => findings.filter((finding) => finding.level === level).length
  return { ok: of("ok"), warning: of("warning"), error: of("error") }
}

const RANK: Readonly<Record<Level, number>> = { error: 0, warning: 1, ok: 2 }

/** The gravest first. Findings of one level keep their order. */
export const gravestFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.toSorted((a, b) => RANK[a.level] - RANK[b.level])
