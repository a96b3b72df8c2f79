/** `sweep mcp` alone, as the command line runs it. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Failure from "../../src/cli/Failure.ts"
import * as Logging from "../../src/cli/Logging.ts"
import { mcpCommand } from "../../src/cli/McpCommand.ts"

Command.make("sweep").pipe(
  Command.withSubcommands([mcpCommand]),
  Command.run({ version: "0.0.0" }),
  Effect.provide(Logging.layer),
  Effect.provide(BunServices.layer),
  Failure.reported,
  BunRuntime.runMain({ disableErrorReporting: true })
)
