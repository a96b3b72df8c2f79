/** Runs the command line in the test's own process, as `src/main.ts` does in one of its own. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { ConfigProvider, Console, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import * as Failure from "../../src/cli/Failure.ts"
import * as Logging from "../../src/cli/Logging.ts"
import * as SweepCommand from "../../src/cli/SweepCommand.ts"
import type { Outcome } from "./sweep.ts"

/** Runs `sweep` with arguments and settings until it ends. It reads no settings of the test's own environment. */
export const sweepHere = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) {
  const [out, err]: [Array<string>, Array<string>] = [[], []]
  const printsTo =
    (lines: Array<string>) =>
    (...values: ReadonlyArray<unknown>): void =>
      void lines.push(`${values.join(" ")}\n`)
  const real = yield* Console.Console
  const command = yield* Effect.promise(() => SweepCommand.loadFor(args[0]))
  const exit = yield* Command.runWith(command, { version: packageJson.version })(args).pipe(
    Effect.provide(Logging.layer),
    Effect.provide(BunServices.layer),
    Failure.reported,
    Effect.provideService(Console.Console, {
      ...real,
      log: printsTo(out),
      info: printsTo(out),
      error: printsTo(err),
      warn: printsTo(err)
    }),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
    Effect.exit
  )
  return { code: Exit.isSuccess(exit) ? 0 : 1, out: out.join(""), err: err.join("") } satisfies Outcome
})
