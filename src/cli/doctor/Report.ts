/** The report of `./sweep doctor`, for people and for programs. Pure. */
import { Schema } from "effect"
import * as Checks from "../../domain/doctor/Checks.ts"
import { counts, Finding, gravestFirst, type Level } from "../../domain/doctor/Finding.ts"
import type { Checked } from "./Doctor.ts"

export const Report = Schema.Struct({
  /** True without errors. */
  ok: Schema.Boolean,
  services: Schema.Array(Schema.String),
  errors: Schema.Int,
  warnings: Schema.Int,
  findings: Schema.Array(Schema.Struct({ check: Schema.String, ...Finding.fields }))
})
export type Report = typeof Report.Type

export const of = (services: ReadonlyArray<string>, all: ReadonlyArray<Checked>): Report => {
  const { error, warning } = counts(all.flatMap(({ findings }) => findings))
  return {
    ok: error === 0,
    services,
    errors: error,
    warnings: warning,
    findings: all.flatMap(({ check, findings }) => gravestFirst(findings).map((finding) => ({ check, ...finding })))
  }
}

const SIGNS: Readonly<Record<Level, string>> = { ok: "ok     ", warning: "warning", error: "ERROR  " }

/** Findings of this kind are warnings. People read them in one line. */
const isSkipped = ({ code }: Report["findings"][number]): boolean => code === Checks.kinds.notChecked.code

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`

export const summary = ({ errors, findings, warnings }: Report): string => {
  const well = findings.filter(({ level }) => level === "ok").length
  const skipped = findings.filter(isSkipped).length
  const rest = skipped === 0 ? "" : `, ${skipped} not checked`
  return `${plural(errors, "error")}, ${plural(warnings - skipped, "warning")}, ${well} ok${rest}`
}

const paragraph = ({ advice, code, level, seen, subject }: Report["findings"][number]): string =>
  [
    `  ${SIGNS[level]} ${subject}: ${seen}${level === "ok" ? "" : ` [${code}]`}`,
    ...(advice === "" ? [] : [`          ${advice}`])
  ].join("\n")

/** One paragraph for each check with findings. The checks that lacked something follow, in one line for each reason. */
export const asText = (report: Report): string => {
  const skipped = report.findings.filter(isSkipped)
  const shown = report.findings.filter((finding) => !isSkipped(finding))
  const paragraphs = [...Map.groupBy(shown, ({ check }) => check)].map(([check, findings]) =>
    [check, ...findings.map(paragraph)].join("\n")
  )
  const notes = [...Map.groupBy(skipped, ({ seen }) => seen)].map(
    ([seen, findings]) => `Not checked: ${findings.map(({ check }) => check).join(", ")} (${seen})`
  )
  return [...paragraphs, ...notes, summary(report)].join("\n\n")
}
