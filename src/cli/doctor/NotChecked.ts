/** Turns the failure of a check, or of a part of it, into the finding `not_checked`. */
import { Effect } from "effect"
import * as Checks from "../../domain/doctor/Checks.ts"
import { type Finding, found } from "../../domain/doctor/Finding.ts"
import { sentence } from "../Problems.ts"
import type { Unknown } from "./Check.ts"

export const orNotChecked = <R>(
  subject: string,
  findings: Effect.Effect<ReadonlyArray<Finding>, Unknown, R>
): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  Effect.catch(findings, (error) => Effect.succeed([found(Checks.kinds.notChecked, subject, sentence(error))]))
