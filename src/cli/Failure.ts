/** Reports how a command failed: one sentence for an expected error, the stack for a defect. */
import { Cause, Console, Effect } from "effect"
import { CliError } from "effect/cli"
import { sentence } from "./Problems.ts"

const report = <E extends { readonly message: string }>(reason: Cause.Reason<E>): Effect.Effect<void> => {
  if (Cause.isInterruptReason(reason)) return Effect.void
  if (Cause.isDieReason(reason)) return Console.error(Cause.pretty(Cause.fromReasons([reason])))
  // The command line has already printed errors in the arguments, with the help.
  return CliError.isCliError(reason.error) ? Effect.void : Console.error(`sweep: ${sentence(reason.error)}`)
}

/** Prints to standard error why the command failed. The failure is kept, because it determines the exit code. */
export const reported = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) => Effect.forEach(cause.reasons, report, { discard: true }))
