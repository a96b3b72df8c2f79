/** The command tree of `./sweep`. */
import { Command } from "effect/cli"
import { alertsCommand } from "./AlertsCommand.ts"
import { backupCommand } from "./BackupCommand.ts"
import { benchCommand } from "./BenchCommand.ts"
import { buildClientCommand } from "./BuildClientCommand.ts"
import { builderBackendCommand } from "./BuilderBackendCommand.ts"
import { buildersCommand } from "./BuildersCommand.ts"
import { chaosCommand } from "./ChaosCommand.ts"
import { checkCommand } from "./CheckCommand.ts"
import { demoCommand } from "./DemoCommand.ts"
import { deployCommand } from "./DeployCommand.ts"
import { devCommand } from "./DevCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { exposureCommand } from "./ExposureCommand.ts"
import { keysCommand } from "./KeysCommand.ts"
import { initCommand } from "./InitCommand.ts"
import { mcpCommand } from "./McpCommand.ts"
import { migrateCommand } from "./MigrateCommand.ts"
import { mutantsCommand } from "./MutantsCommand.ts"
import { operateCommand } from "./OperateCommand.ts"
import { orchestratorCommand } from "./OrchestratorCommand.ts"
import { outboxCommand } from "./OutboxCommand.ts"
import { payoutsCommand } from "./PayoutsCommand.ts"
import { portfolioCommand } from "./PortfolioCommand.ts"
import { reconcileCommand } from "./ReconcileCommand.ts"
import { restoreCommand } from "./RestoreCommand.ts"
import { sbomCommand } from "./SbomCommand.ts"
import { settingsCommand } from "./SettingsCommand.ts"
import { sweepTokensCommand } from "./SweepTokensCommand.ts"
import { targetsCommand } from "./TargetsCommand.ts"
import { testCommand } from "./TestCommand.ts"
import { treasuryCommand } from "./TreasuryCommand.ts"
import { verifyContractsCommand } from "./VerifyContractsCommand.ts"

export const sweepCommand = Command.make("sweep").pipe(
  Command.withDescription("Gasless token sweeps: two signatures off-chain, any token in, any token out, on any chain"),
  Command.withSubcommands([
    demoCommand,
    devCommand,
    portfolioCommand,
    sweepTokensCommand,
    orchestratorCommand,
    builderBackendCommand,
    buildersCommand,
    payoutsCommand,
    treasuryCommand,
    exposureCommand,
    alertsCommand,
    outboxCommand,
    operateCommand,
    keysCommand,
    mcpCommand,
    initCommand,
    doctorCommand,
    migrateCommand,
    backupCommand,
    restoreCommand,
    reconcileCommand,
    deployCommand,
    verifyContractsCommand,
    targetsCommand,
    settingsCommand,
    sbomCommand,
    buildClientCommand,
    checkCommand,
    testCommand,
    mutantsCommand,
    chaosCommand,
    benchCommand
  ])
)
