/** Runs all checks side by side, each within a time limit of its own. A check that breaks stops no other. */
import { Cause, Effect, Option } from "effect"
import * as Checks from "../../domain/doctor/Checks.ts"
import { type Finding, found } from "../../domain/doctor/Finding.ts"
import { scrubbed } from "../../domain/doctor/Scrub.ts"
import { within } from "../../runtime/Within.ts"
import { sentence } from "../Problems.ts"
import type { Check, Deployment } from "./Check.ts"

/** Time limit of a check. Each of its requests has a shorter one. */
const LIMIT = "30 seconds"

export interface Checked {
  readonly check: string
  readonly findings: ReadonlyArray<Finding>
}

/** Hears of each check that has ended. */
export type Progress = (ended: Checked, left: number) => Effect.Effect<void>

const findingsOf = (check: Check, deployment: Deployment) =>
  check.findings(deployment).pipe(
    Effect.scoped,
    within(LIMIT),
    Effect.map(Option.getOrElse(() => [found(Checks.kinds.tooSlow, check.name, `not done within ${LIMIT}`)])),
    Effect.catch((error) => Effect.succeed([found(Checks.kinds.notChecked, check.name, sentence(error))])),
    Effect.catchCause((cause) =>
      Effect.succeed([found(Checks.kinds.broken, check.name, Cause.pretty(cause).split("\n")[0] ?? "")])
    )
  )

/** The findings of each check, in the order of `checks`. Secrets are replaced by `scrub`. */
export const examine = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  deployment: Deployment,
  scrub: (text: string) => string,
  progress: Progress
) {
  const chosen = checks.filter(({ services }) => services.some((service) => deployment.services.includes(service)))
  let left = chosen.length
  return yield* Effect.forEach(
    chosen,
    (check) =>
      findingsOf(check, deployment).pipe(
        Effect.map((findings) => ({ check: check.name, findings: findings.map((each) => scrubbed(each, scrub)) })),
        Effect.tap((ended) => Effect.suspend(() => progress(ended, --left)))
      ),
    { concurrency: "unbounded" }
  )
})
