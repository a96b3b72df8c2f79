/** The command tree of `./sweep`. */
import { Command } from "effect/cli"

/** Loads each command, by its name and in the order of the help. */
const LOADERS = {
  demo: () => import("./DemoCommand.ts").then(({ demoCommand }) => demoCommand),
  dev: () => import("./DevCommand.ts").then(({ devCommand }) => devCommand),
  portfolio: () => import("./PortfolioCommand.ts").then(({ portfolioCommand }) => portfolioCommand),
  sweep: () => import("./SweepTokensCommand.ts").then(({ sweepTokensCommand }) => sweepTokensCommand),
  orchestrator: () => import("./OrchestratorCommand.ts").then(({ orchestratorCommand }) => orchestratorCommand),
  "builder-backend": () =>
    import("./BuilderBackendCommand.ts").then(({ builderBackendCommand }) => builderBackendCommand),
  builders: () => import("./BuildersCommand.ts").then(({ buildersCommand }) => buildersCommand),
  payouts: () => import("./PayoutsCommand.ts").then(({ payoutsCommand }) => payoutsCommand),
  treasury: () => import("./TreasuryCommand.ts").then(({ treasuryCommand }) => treasuryCommand),
  exposure: () => import("./ExposureCommand.ts").then(({ exposureCommand }) => exposureCommand),
  alerts: () => import("./AlertsCommand.ts").then(({ alertsCommand }) => alertsCommand),
  outbox: () => import("./OutboxCommand.ts").then(({ outboxCommand }) => outboxCommand),
  operate: () => import("./OperateCommand.ts").then(({ operateCommand }) => operateCommand),
  keys: () => import("./KeysCommand.ts").then(({ keysCommand }) => keysCommand),
  mcp: () => import("./McpCommand.ts").then(({ mcpCommand }) => mcpCommand),
  init: () => import("./InitCommand.ts").then(({ initCommand }) => initCommand),
  doctor: () => import("./DoctorCommand.ts").then(({ doctorCommand }) => doctorCommand),
  migrate: () => import("./MigrateCommand.ts").then(({ migrateCommand }) => migrateCommand),
  backup: () => import("./BackupCommand.ts").then(({ backupCommand }) => backupCommand),
  restore: () => import("./RestoreCommand.ts").then(({ restoreCommand }) => restoreCommand),
  reconcile: () => import("./ReconcileCommand.ts").then(({ reconcileCommand }) => reconcileCommand),
  deploy: () => import("./DeployCommand.ts").then(({ deployCommand }) => deployCommand),
  "verify-contracts": () =>
    import("./VerifyContractsCommand.ts").then(({ verifyContractsCommand }) => verifyContractsCommand),
  targets: () => import("./TargetsCommand.ts").then(({ targetsCommand }) => targetsCommand),
  settings: () => import("./SettingsCommand.ts").then(({ settingsCommand }) => settingsCommand),
  sbom: () => import("./SbomCommand.ts").then(({ sbomCommand }) => sbomCommand),
  "build-client": () => import("./BuildClientCommand.ts").then(({ buildClientCommand }) => buildClientCommand),
  check: () => import("./CheckCommand.ts").then(({ checkCommand }) => checkCommand),
  test: () => import("./TestCommand.ts").then(({ testCommand }) => testCommand),
  mutants: () => import("./MutantsCommand.ts").then(({ mutantsCommand }) => mutantsCommand),
  chaos: () => import("./ChaosCommand.ts").then(({ chaosCommand }) => chaosCommand),
  bench: () => import("./BenchCommand.ts").then(({ benchCommand }) => benchCommand)
} as const

type Name = keyof typeof LOADERS

type Subcommand = Awaited<ReturnType<(typeof LOADERS)[Name]>>

const isName = (text: string): text is Name => Object.hasOwn(LOADERS, text)

const tree = (commands: ReadonlyArray<Subcommand>) =>
  Command.make("sweep").pipe(
    Command.withDescription(
      "Gasless token sweeps: two signatures off-chain, any token in, any token out, on any chain"
    ),
    Command.withSubcommands(commands)
  )

/** The whole tree. */
export const load = async () => tree(await Promise.all(Object.values(LOADERS).map((loader) => loader())))

/**
 * The tree for a command line that begins with `first`: with this command alone if it names one, since loading all of them takes
 * most of a second. Otherwise the whole tree, for its help and its error messages.
 */
export const loadFor = async (first: string | undefined) =>
  first !== undefined && isName(first) ? tree([await LOADERS[first]()]) : load()
