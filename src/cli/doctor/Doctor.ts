/** Runs all checks side by side, each within a time limit of its own. A check that breaks stops no other. */
import { Cause, Effect, Option } from "effect"
import * as Checks from "../../domain/doctor/Checks.ts"
import { type Finding, found } from "../../domain/doctor/Finding.ts"
import { scrubbed } from "../../domain/doctor/Scrub.ts"
import { within } from "../../runtime/Within.ts"
import type { Check, Deployment } from "./Check.ts"
import { orNotChecked } from "./NotChecked.ts"

/** Time limit of a check. Each of its requests has a shorter one. */
const LIMIT = "30 seconds"

export interface Checked {
  readonly check: string
  readonly findings: ReadonlyArray<Finding>
}

/** Hears of each check that has ended. */
export type Progress = (ended: Checked, left: number) => Effect.Effect<void>

const findingsOf = (check: Check, deployment: Deployment) =>
  orNotChecked(
    check.name,
    check
      .findings(deployment)
      .pipe(
        Effect.scoped,
        within(LIMIT),
        Effect.map(Option.getOrElse(() => [found(Checks.kinds.tooSlow, check.name, `not done within ${LIMIT}`)]))
      )
  ).pipe(
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
