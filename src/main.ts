/** Entry point of the command line. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import * as Failure from "./cli/Failure.ts"
import * as Logging from "./cli/Logging.ts"
import * as SweepCommand from "./cli/SweepCommand.ts"

Effect.promise(() => SweepCommand.loadFor(process.argv[2])).pipe(
  Effect.flatMap(Command.run({ version: packageJson.version })),
  Effect.provide(Logging.layer),
  Effect.provide(BunServices.layer),
  Failure.reported,
  BunRuntime.runMain({ disableErrorReporting: true })
)
