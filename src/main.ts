/** The command line. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import { benchCommand } from "./cli/BenchCommand.ts"
import { builderCommand } from "./cli/BuilderBackendCommand.ts"
import { buildersCommand } from "./cli/BuildersCommand.ts"
import { chaosCommand } from "./cli/ChaosCommand.ts"
import { demoCommand } from "./cli/DemoCommand.ts"
import { deployCommand } from "./cli/DeployCommand.ts"
import { devCommand } from "./cli/DevCommand.ts"
import * as Failure from "./cli/Failure.ts"
import * as Logging from "./cli/Logging.ts"
import { mcpCommand } from "./cli/McpCommand.ts"
import { migrateCommand } from "./cli/MigrateCommand.ts"
import { orchestratorCommand } from "./cli/OrchestratorCommand.ts"
import { payoutsCommand } from "./cli/PayoutsCommand.ts"
import { settingsCommand } from "./cli/SettingsCommand.ts"
import { testCommand } from "./cli/TestCommand.ts"

Command.make("sweep").pipe(
  Command.withDescription("Gasless token sweeps: two signatures off-chain, any token in, any token out, on any chain"),
  Command.withSubcommands([
    demoCommand,
    devCommand,
    orchestratorCommand,
    builderCommand,
    buildersCommand,
    payoutsCommand,
    mcpCommand,
    migrateCommand,
    deployCommand,
    settingsCommand,
    testCommand,
    chaosCommand,
    benchCommand
  ]),
  Command.run({ version: packageJson.version }),
  Effect.provide(Logging.layer),
  Effect.provide(BunServices.layer),
  Failure.reported,
  BunRuntime.runMain({ disableErrorReporting: true })
)
