/** `./sweep deploy`: deploys the service's contracts to one chain. */
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as ChainSettings from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as Deployer from "../adapters/evm/contracts/Deployer.ts"
import * as Deployment from "../adapters/evm/contracts/Deployment.ts"
import * as RawKeys from "../adapters/evm/keys/RawKeys.ts"
import { ChainsConfig } from "../config/Chains.ts"
import { deployment } from "../config/Deployment.ts"
import { Chains } from "../ports/shared/Chains.ts"
import { RelayerKeys } from "../ports/orchestrator/RelayerKeys.ts"
import * as PrivateKeys from "./PrivateKeys.ts"
import { UsageError } from "./UsageError.ts"

const chain = Flag.Int("chain").pipe(Flag.withDescription("Id of the chain, as in the chains file"))

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Show the state of the contracts and the planned deployments, and send nothing"),
  Flag.withDefault(false)
)

const table = (plan: Deployment.Plan, findings: Readonly<Record<Deployment.ContractName, Deployment.Finding>>) =>
  (["guard", "delegate", "entry"] as const)
    .map((name) => `${name.padEnd(9)} ${plan.contracts[name].address}  ${findings[name]}`)
    .join("\n")

const summary = (verb: string, contracts: ReadonlyArray<string>): string =>
  contracts.length === 0 ? "nothing to deploy" : `${verb} ${contracts.join(" and ")}`

/** The deployment plan of the chain's entry in the chains file. */
const planned = Effect.fnUntraced(function* (chainId: number) {
  const { chainsFile, domainName } = yield* ChainsConfig
  const settings = (yield* ChainsFile.read(chainsFile)).find((entry) => entry.id === chainId)
  if (settings === undefined) return yield* new UsageError({ detail: `chain ${chainId} is not in ${chainsFile}` })
  if (settings.contracts !== undefined) {
    return yield* new UsageError({
      detail: `${chainsFile} fixes the contracts of chain ${chainId}. Remove its \`contracts\` to deploy new ones`
    })
  }
  return {
    plan: Deployment.plan(ChainSettings.deploymentOf(settings, domainName)),
    chains: JsonRpcChains.layer([
      {
        chain: ChainSettings.chainOf(settings, domainName),
        rpcUrls: settings.rpcUrls,
        broadcastUrls: settings.broadcastUrls
      }
    ]).pipe(Layer.provide(FetchHttpClient.layer))
  }
})

const client = (chainId: number) => Effect.flatMap(Chains, (chains) => chains.get(chainId))

const inspect = Effect.fnUntraced(function* (chainId: number, plan: Deployment.Plan) {
  const findings = yield* Deployer.inspect(yield* client(chainId), plan)
  yield* Console.log(table(plan, findings))
  const missing = Deployment.outstanding(plan, findings)
  yield* Console.log(
    summary(
      "would deploy",
      missing.map(({ contract }) => contract)
    )
  )
})

const deploy = Effect.fnUntraced(function* (chainId: number, plan: Deployment.Plan) {
  const keys = yield* RelayerKeys
  const [lane] = keys.lanes(chainId)
  if (lane === undefined) return yield* new UsageError({ detail: "DEPLOYER_KEY holds no key" })
  const { deployed, findings } = yield* Deployer.deploy(yield* client(chainId), plan, { keys, lane })
  yield* Console.log(table(plan, findings))
  yield* Console.log(summary("deployed", deployed))
})

export const deployCommand = Command.make("deploy", { chain, dryRun }, ({ chain: chainId, dryRun }) =>
  Effect.gen(function* () {
    const { chains, plan } = yield* planned(chainId)
    if (dryRun) return yield* inspect(chainId, plan).pipe(Effect.provide(chains))
    const key = yield* PrivateKeys.parse(
      "DEPLOYER_KEY",
      "the private key of an account that can pay for the deployment, 0x followed by 64 hex digits; or use --dry-run",
      Option.toArray(yield* deployment.deployerKey.config)
    )
    yield* deploy(chainId, plan).pipe(Effect.provide(Layer.mergeAll(chains, RawKeys.layer(key))))
  })
).pipe(
  Command.withDescription(
    "Deploy the service's contracts to a chain by CREATE2, and verify those already there. Safe to repeat"
  ),
  Command.withExamples([
    { command: "sweep deploy --chain 8453 --dry-run", description: "Show the addresses on Base and their state" },
    {
      command: "DEPLOYER_KEY=0x… sweep deploy --chain 8453",
      description: "Deploy the missing contracts, then verify all of them"
    }
  ])
)
