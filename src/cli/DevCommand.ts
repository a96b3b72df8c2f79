/** `./sweep dev`: runs the local network and the services on it, until Ctrl-C. */
import { Config, Console, Effect, Option, Path } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import type * as DevApp from "../apps/DevApp.ts"
import * as Accounts from "../devnet/Accounts.ts"
import { NODE_KINDS } from "../devnet/DevChain.ts"
import * as DevNetwork from "../devnet/DevNetwork.ts"
import * as Market from "../devnet/market/Market.ts"
import * as WebBuild from "../server/web/WebBuild.ts"
import { bunExecutable, projectRoot } from "./Project.ts"

/** More make the setup of a chain slow. */
const MAX_MARKET_TOKENS = 2_000

const directory = Flag.String("dir").pipe(
  Flag.withDescription(
    "Directory of dev.json and the database (default: .sweep). A second network needs another directory"
  ),
  Flag.optional
)

const blockSeconds = Flag.Int("block-time").pipe(
  Flag.withDescription("Seconds between blocks (default: 1)"),
  Flag.filter(
    (seconds) => seconds >= 1,
    () => "must be at least 1"
  ),
  Flag.withDefault(1)
)

const node = Flag.Literals("node", NODE_KINDS).pipe(
  Flag.withDescription("Program of the chains' nodes (default: anvil)"),
  Flag.withDefault("anvil" as const)
)

const market = Flag.Boolean("market").pipe(
  Flag.withDescription(
    "Add a replayable market: odd tokens, more exchanges, and the outside HTTP services on loopback"
  ),
  Flag.withDefault(false)
)

const marketTokens = Flag.Int("market-tokens").pipe(
  Flag.withDescription(`Tokens of the market (default: ${Market.DEFAULTS.tokens})`),
  Flag.filter(
    (tokens) => tokens >= 1 && tokens <= MAX_MARKET_TOKENS,
    () => `must be from 1 to ${MAX_MARKET_TOKENS}`
  ),
  Flag.withDefault(Market.DEFAULTS.tokens)
)

const marketSeed = Flag.Int("market-seed").pipe(
  Flag.withDescription(`Seed of the market (default: ${Market.DEFAULTS.seed}). The same seed gives the same market`),
  Flag.withDefault(Market.DEFAULTS.seed)
)

/** Fixed ports, if set. Default: free ports. */
const PORTS = Config.all({
  orchestratorPort: Config.option(Config.Port("ORCHESTRATOR_PORT")),
  builderPort: Config.option(Config.Port("BUILDER_PORT"))
})

const marketLines = (market: DevApp.DevApp["info"]["market"]): ReadonlyArray<string> =>
  market === undefined
    ? []
    : [
        "",
        `market of seed ${market.seed}, its services at ${market.servicesUrl}`,
        ...market.chains.flatMap(({ id, shape, tokens, venues }) => {
          const kinds = Map.groupBy(tokens, ({ kind }) => kind)
          return [
            `  chain ${id}, shaped like ${shape}: ${venues.join(", ")}`,
            `    ${tokens.length} tokens: ${[...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(", ")}`
          ]
        })
      ]

const table = ({ builder, info }: DevApp.DevApp, file: string): string =>
  [
    `orchestrator   ${info.orchestratorUrl}   docs ${info.orchestratorUrl}/docs`,
    `builder        ${info.builderUrl}   docs ${info.builderUrl}/docs`,
    `dashboard      ${info.dashboardUrl}/app`,
    `sweep page     ${info.dashboardUrl}/app/sweep`,
    `admin console  ${info.dashboardUrl}/app/admin   admin token ${info.builderAdminToken}`,
    `database       ${info.databaseUrl}`,
    ...info.chains.flatMap((chain) => [
      "",
      `${chain.name} (chain ${chain.id})   ${chain.rpcUrl}`,
      ...Object.entries(chain.tokens).map(
        ([symbol, { address, decimals }]) => `  ${symbol.padEnd(6)} ${address}  ${decimals} decimals`
      )
    ]),
    ...marketLines(info.market),
    "",
    `${info.accounts.length} accounts hold every token. The first is ${info.accounts[0]?.address ?? "none"}`,
    `builder ${builder.id} is registered with a markup. Its API key: ${builder.apiKey}`,
    `the vault that pays builders is ${Accounts.builderVault().address}. Its key: ${Accounts.builderVault().privateKey}`,
    `keys, tokens and all addresses: ${file}`,
    "",
    "Ctrl-C stops everything."
  ].join("\n")

const flags = { blockSeconds, directory, market, marketSeed, marketTokens, node }

export const devCommand = Command.make(
  "dev",
  flags,
  ({ blockSeconds, directory, market, marketSeed, marketTokens, node }) =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const ports = yield* PORTS
      const where = path.resolve(Option.getOrElse(directory, () => path.join(projectRoot, ".sweep")))
      yield* Console.error("starting PostgreSQL, two chains, their contracts and the services …")
      // Imported here, so that other commands do not load the services.
      const { start } = yield* Effect.promise(() => import("../apps/DevApp.ts"))
      const app = yield* start({
        directory: where,
        blockSeconds,
        node,
        ...(market ? { market: { ...Market.DEFAULTS, tokens: marketTokens, seed: marketSeed } } : {}),
        webDirectory: yield* WebBuild.ensure(projectRoot, bunExecutable),
        ...(Option.isSome(ports.orchestratorPort) ? { orchestratorPort: ports.orchestratorPort.value } : {}),
        ...(Option.isSome(ports.builderPort) ? { builderPort: ports.builderPort.value } : {})
      })
      yield* Console.log(table(app, path.join(where, DevNetwork.FILE)))
      return yield* Effect.flatMap(app.network.exited, Effect.fail)
    }).pipe(Effect.scoped, Effect.provide([SecureRandom.layerWebCrypto, FetchHttpClient.layer]))
).pipe(
  Command.withDescription("Run the local network: PostgreSQL, two chains with real contracts, and the services"),
  Command.withExamples([
    { command: "sweep dev", description: "Start everything on free ports. Addresses and keys are in .sweep/dev.json" },
    {
      command: "ORCHESTRATOR_PORT=8787 sweep dev --dir /tmp/second",
      description: "Start a second network with a fixed port"
    },
    { command: "sweep dev --market", description: "Start everything with 400 odd tokens on seven more exchanges" }
  ])
)
