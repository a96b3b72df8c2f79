/** `./sweep deploy`: deploys the service's contracts to one chain. */
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as ChainSettings from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as Deployer from "../adapters/evm/contracts/Deployer.ts"
import * as Deployment from "../adapters/evm/contracts/Deployment.ts"
import * as UniswapV4Deployment from "../adapters/evm/contracts/UniswapV4Deployment.ts"
import * as RawKeys from "../adapters/evm/keys/RawKeys.ts"
import { ChainsConfig } from "../config/Chains.ts"
import { deployment } from "../config/Deployment.ts"
import type * as Address from "../domain/Address.ts"
import * as Generations from "../domain/Generations.ts"
import { type ChainClient, Chains } from "../ports/shared/Chains.ts"
import { RelayerKeys } from "../ports/orchestrator/RelayerKeys.ts"
import * as PrivateKeys from "./PrivateKeys.ts"
import { UsageError } from "./UsageError.ts"

const chain = Flag.Int("chain").pipe(Flag.withDescription("Id of the chain, as in the chains file"))

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Show the state of the contracts and the planned deployments, and send nothing"),
  Flag.withDefault(false)
)

const uniswapV4 = Flag.Boolean("uniswap-v4").pipe(
  Flag.withDescription("Also deploy the router for Uniswap v4, if the chain's entry declares that venue"),
  Flag.withDefault(false)
)

interface Plans {
  readonly plan: Deployment.Plan
  /** Contracts that are deployed on request. */
  readonly parts: ReadonlyArray<Deployment.Part>
  readonly earlier: ReadonlyArray<Deployment.Plan>
  /** Guards of the generations that the service follows. */
  readonly followed: ReadonlyArray<Address.Address>
  /** Guard of the first generation, as the chain's entry names it. */
  readonly priorGuard: Address.Address | undefined
}

type Findings = Readonly<Record<Deployment.ContractName, Deployment.Finding>>

const table = (plan: Deployment.Plan, findings: Findings, indent = "") =>
  (["guard", "delegate", "entry"] as const)
    .map((name) => `${indent}${name.padEnd(9)} ${plan.contracts[name].address}  ${findings[name]}`)
    .join("\n")

/** Tells which generation the chain has: all contracts of a plan are there. */
const generations = Effect.fnUntraced(function* (client: ChainClient, current: Findings, { earlier, followed }: Plans) {
  const present = Object.values(current).every((finding) => finding === "right")
  const lines = [`generation ${Deployment.CURRENT} is ${present ? "deployed" : "not deployed"}`]
  for (const plan of earlier) {
    const findings = yield* Deployer.inspect(client, plan)
    // Its entry has one address for all operators.
    if (findings.guard === "missing") continue
    const state = followed.includes(plan.contracts.guard.address)
      ? "its intents still settle"
      : "the chain's entry does not name it, so its intents are not followed"
    lines.push(`generation ${plan.generation} is deployed; ${state}:`, table(plan, findings, "  "))
  }
  return lines.join("\n")
})

/** Address of the first generation's guard, if it is deployed and the entry does not name it. */
const unnamedPriorGuard = Effect.fnUntraced(function* (client: ChainClient, { earlier, priorGuard }: Plans) {
  const first = earlier.find(({ generation }) => generation === 1)
  if (first === undefined || priorGuard !== undefined) return undefined
  const { guard } = yield* Deployer.inspect(client, first)
  return guard === "missing" ? undefined : first.contracts.guard.address
})

const advice = (guard: Address.Address): string =>
  `Set \`priorGuard\` to ${guard} in the chain's entry: intents of generation 1 then still settle, and generation ${Deployment.CURRENT} refuses an order that generation 1 settled`

const noRouter = (chainId: number): string =>
  `the entry of chain ${chainId} declares no venue of the family uniswap-v4 with this version's router. Add one to \`venues\``

const summary = (verb: string, contracts: ReadonlyArray<string>): string =>
  contracts.length === 0 ? "nothing to deploy" : `${verb} ${contracts.join(" and ")}`

/** A line for each part, with what deploys it if it is missing. */
const partLines = (chain: ChainClient, parts: ReadonlyArray<Deployment.Part>) =>
  Effect.forEach(parts, (part) =>
    Effect.map(Deployer.inspectPart(chain, part), (finding) => {
      const hint = finding === "missing" ? " (optional; deploy it with --uniswap-v4)" : ""
      return `${part.transaction.contract} ${part.address}  ${finding}${hint}`
    })
  )

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
  const config = ChainSettings.deploymentOf(settings, domainName)
  const chain = ChainSettings.chainOf(settings, domainName)
  return {
    plan: Deployment.plan(config),
    parts: UniswapV4Deployment.plansOf(chain),
    earlier: Deployment.earlierPlans(config),
    followed: Generations.all(chain).map(({ guard }) => guard),
    priorGuard: config.priorGuard,
    chains: JsonRpcChains.layer([
      {
        chain,
        rpcUrls: settings.rpcUrls,
        broadcastUrls: settings.broadcastUrls
      }
    ]).pipe(Layer.provide(FetchHttpClient.layer))
  }
})

const client = (chainId: number) => Effect.flatMap(Chains, (chains) => chains.get(chainId))

const inspect = Effect.fnUntraced(function* (chainId: number, plans: Plans) {
  const { parts, plan } = plans
  const chain = yield* client(chainId)
  const findings = yield* Deployer.inspect(chain, plan)
  yield* Console.log([table(plan, findings), ...(yield* partLines(chain, parts))].join("\n"))
  yield* Console.log(yield* generations(chain, findings, plans))
  const unnamed = yield* unnamedPriorGuard(chain, plans)
  if (unnamed !== undefined) yield* Console.log(`${advice(unnamed)}.`)
  const missing = Deployment.outstanding(plan, findings)
  yield* Console.log(
    summary(
      "would deploy",
      missing.map(({ contract }) => contract)
    )
  )
})

const deploy = Effect.fnUntraced(function* (chainId: number, plans: Plans, wanted: boolean) {
  const { parts, plan } = plans
  const keys = yield* RelayerKeys
  const [lane] = keys.lanes(chainId)
  if (lane === undefined) return yield* new UsageError({ detail: "DEPLOYER_KEY holds no key" })
  const connected = yield* client(chainId)
  const unnamed = yield* unnamedPriorGuard(connected, plans)
  if (unnamed !== undefined) return yield* new UsageError({ detail: advice(unnamed) })
  if (wanted && parts.length === 0) return yield* new UsageError({ detail: noRouter(chainId) })
  const { deployed, findings } = yield* Deployer.deploy(connected, plan, { keys, lane })
  const added = yield* Effect.filter(wanted ? parts : [], (part) =>
    Deployer.deployPart(connected, part, { keys, lane })
  )
  yield* Console.log([table(plan, findings), ...(yield* partLines(connected, parts))].join("\n"))
  yield* Console.log(yield* generations(connected, findings, plans))
  yield* Console.log(summary("deployed", [...deployed, ...added.map(({ transaction: { contract } }) => contract)]))
})

export const deployCommand = Command.make(
  "deploy",
  { chain, dryRun, uniswapV4 },
  ({ chain: chainId, dryRun, uniswapV4: wanted }) =>
    Effect.gen(function* () {
      const { chains, ...plans } = yield* planned(chainId)
      if (dryRun) return yield* inspect(chainId, plans).pipe(Effect.provide(chains))
      const key = yield* PrivateKeys.parse(
        "DEPLOYER_KEY",
        "the private key of an account that can pay for the deployment, 0x followed by 64 hex digits; or use --dry-run",
        Option.toArray(yield* deployment.deployerKey.config)
      )
      yield* deploy(chainId, plans, wanted).pipe(Effect.provide(Layer.mergeAll(chains, RawKeys.layer(key))))
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
    },
    {
      command: "DEPLOYER_KEY=0x… sweep deploy --chain 8453 --uniswap-v4",
      description: "Deploy also the router for Uniswap v4"
    }
  ])
)
