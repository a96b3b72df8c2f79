/** `./sweep deploy`: the service's contracts on one chain. */
import { Console, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as ChainSettings from "../adapters/evm/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/ChainsFile.ts"
import * as JsonRpcChains from "../adapters/evm/Chains.ts"
import * as Deployer from "../adapters/evm/Deployer.ts"
import * as Deployment from "../adapters/evm/Deployment.ts"
import * as RawKeys from "../adapters/evm/RawKeys.ts"
import { ChainsConfig, deployerKey } from "../config.ts"
import { Chains } from "../ports/Chains.ts"
import { RelayerKeys } from "../ports/RelayerKeys.ts"
import { UsageError } from "./UsageError.ts"

const chain = Flag.Int("chain").pipe(Flag.withDescription("Id of the chain, as in the chains file"))

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Only say what is there and what would be sent"),
  Flag.withDefault(false)
)

const table = (plan: Deployment.Plan, findings: Readonly<Record<Deployment.ContractName, Deployment.Finding>>) =>
  (["guard", "delegate", "entry"] as const)
    .map((name) => `${name.padEnd(9)} ${plan.contracts[name].address}  ${findings[name]}`)
    .join("\n")

export const deployCommand = Command.make("deploy", { chain, dryRun }, ({ chain: chainId, dryRun }) =>
  Effect.gen(function* () {
    const config = yield* ChainsConfig
    const entries = yield* ChainsFile.read(config.chainsFile)
    const settings = entries.find((entry) => entry.id === chainId)
    if (settings === undefined) {
      return yield* new UsageError({ detail: `chain ${chainId} is not in ${config.chainsFile}` })
    }
    const plan = Deployment.plan(
      yield* Schema.decodeUnknownEffect(Deployment.Deployment)(ChainSettings.deploymentOf(settings, config.domainName))
    )
    const chains = JsonRpcChains.layer([
      { chain: ChainSettings.chainOf(settings, config.domainName), rpcUrls: settings.rpcUrls }
    ]).pipe(Layer.provide(FetchHttpClient.layer))

    const inspect = Effect.gen(function* () {
      const client = yield* (yield* Chains).get(chainId)
      yield* Console.log(table(plan, yield* Deployer.inspect(client, plan)))
    })
    const deploy = Effect.gen(function* () {
      const client = yield* (yield* Chains).get(chainId)
      const keys = yield* RelayerKeys
      const lane = keys.lanes(chainId)[0]
      if (lane === undefined) return yield* new UsageError({ detail: "DEPLOYER_KEY holds no key" })
      const { deployed } = yield* Deployer.deploy(client, plan, { keys, lane })
      yield* Console.log(table(plan, yield* Deployer.inspect(client, plan)))
      yield* Console.log(deployed.length === 0 ? "nothing to deploy" : `deployed ${deployed.join(" and ")}`)
    })

    if (dryRun) return yield* inspect.pipe(Effect.provide(chains))
    const key = yield* deployerKey.config
    if (Option.isNone(key)) {
      return yield* new UsageError({
        detail: "set DEPLOYER_KEY to the private key of an account that can pay for the deployment, or use --dry-run"
      })
    }
    const keys = RawKeys.layer([Redacted.make(Redacted.value(key.value) as `0x${string}`)])
    yield* deploy.pipe(Effect.provide(Layer.mergeAll(chains, keys)))
  })
).pipe(
  Command.withDescription("Deploy the contracts to a chain by CREATE2, or verify the ones that are there"),
  Command.withExamples([
    { command: "sweep deploy --chain 8453 --dry-run", description: "Show the addresses on Base and what is there" },
    { command: "DEPLOYER_KEY=0x… sweep deploy --chain 8453", description: "Deploy what is missing, then verify" }
  ])
)
