/** How a command fails: one sentence for what can be expected to go wrong, the stack for what cannot. */
import { Cause, Config, Console, Effect } from "effect"
import { CliError } from "effect/cli"
import * as SchemaMessages from "../server/shared/SchemaMessages.ts"

/** For people. A setting is named, and never quoted: it may be a secret. */
const sentence = (error: { readonly message: string }): string => {
  if (!(error instanceof Config.ConfigError)) return error.message
  return error.cause._tag === "SchemaError" ? SchemaMessages.format(error.cause.issue, "settings") : error.cause.message
}

const report = <E extends { readonly message: string }>(reason: Cause.Reason<E>): Effect.Effect<void> => {
  if (Cause.isInterruptReason(reason)) return Effect.void
  if (Cause.isDieReason(reason)) return Console.error(Cause.pretty(Cause.fromReasons([reason])))
  // What is wrong with the arguments was said beside the help.
  return CliError.isCliError(reason.error) ? Effect.void : Console.error(`sweep: ${sentence(reason.error)}`)
}

/** Says on standard error why the command failed. The failure stays: it makes the exit code. */
export const reported = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) => Effect.forEach(cause.reasons, report, { discard: true }))
