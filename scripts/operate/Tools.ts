/** Programs that may be installed on this machine. */
import { Effect, Option, Stream } from "effect"
import { ChildProcess } from "effect/process"

/** Output of a program. None if it is not installed. */
export const spoken = (command: string, args: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* ChildProcess.make(command, [...args], { stdin: "ignore" })
      return yield* handle.stdout.pipe(Stream.decodeText(), Stream.mkString)
    })
  ).pipe(Effect.option)

/** The first of these programs that is installed. */
export const installed = Effect.fnUntraced(function* (commands: ReadonlyArray<string>) {
  for (const command of commands) if (Option.isSome(yield* spoken(command, ["--version"]))) return command
  return undefined
})
