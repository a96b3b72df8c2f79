/** Reports how a command failed: one sentence for an expected error, the stack for a defect. */
import { Cause, Console, Effect } from "effect"
import { CliError } from "effect/cli"
import { sentence } from "./Problems.ts"

/** Reasons for which the operating system refuses an address to a server. The port's settings are named because no error has the port. */
const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "the port is in use. Stop the process that listens on it, or set ORCHESTRATOR_PORT or BUILDER_PORT to another port",
  EADDRNOTAVAIL: "this machine does not have the address in HOST. Set HOST to one of its addresses, or to 0.0.0.0",
  EACCES: "this user may not listen on the port. Set ORCHESTRATOR_PORT or BUILDER_PORT to a port above 1023"
}

/** The failure to listen on an address, which Bun throws. */
const listenFailure = (defect: unknown): string | undefined => {
  if (!(defect instanceof Error) || !("syscall" in defect) || defect.syscall !== "listen" || !("code" in defect)) {
    return undefined
  }
  const advice = LISTENING[String(defect.code)]
  return advice === undefined ? `cannot listen: ${defect.message}` : `cannot listen: ${advice}`
}

const report = <E extends { readonly message: string }>(reason: Cause.Reason<E>): Effect.Effect<void> => {
  if (Cause.isInterruptReason(reason)) return Effect.void
  if (Cause.isDieReason(reason)) {
    const refused = listenFailure(reason.defect)
    return Console.error(refused === undefined ? Cause.pretty(Cause.fromReasons([reason])) : `sweep: ${refused}`)
  }
  // The command line has already printed errors in the arguments, with the help.
  return CliError.isCliError(reason.error) ? Effect.void : Console.error(`sweep: ${sentence(reason.error)}`)
}

/** Prints to standard error why the command failed. The failure is kept, because it determines the exit code. */
export const reported = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) => Effect.forEach(cause.reasons, report, { discard: true }))
