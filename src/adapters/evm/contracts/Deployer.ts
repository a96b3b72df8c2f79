/** Deploys a chain's contracts at their computed addresses, and verifies their code. Safe to repeat. */
import { Effect, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { withinCap } from "../../../domain/RelayGas.ts"
import type { ChainClient } from "../../../ports/shared/Chains.ts"
import type { RelayerKeys } from "../../../ports/orchestrator/RelayerKeys.ts"
import * as Deployment from "./Deployment.ts"
import * as OperatorTransaction from "./OperatorTransaction.ts"

/** The chain does not support the deployment, or one of its addresses holds other code. */
export class DeploymentFailed extends Schema.TaggedError<DeploymentFailed>()("DeploymentFailed", {
  chainId: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: ${this.detail}`
  }
}

type Findings = Readonly<Record<Deployment.ContractName, Deployment.Finding>>

/** State of each of the plan's addresses. */
export const inspect = Effect.fn("Deployer.inspect")(function* (client: ChainClient, plan: Deployment.Plan) {
  const found = (name: Deployment.ContractName) =>
    Effect.map(client.code(plan.contracts[name].address), (code) => Deployment.judge(plan.contracts[name], code))
  return (yield* Effect.all(
    { guard: found("guard"), delegate: found("delegate"), entry: found("entry") },
    { concurrency: "unbounded" }
  )) satisfies Findings
})

/** One and a half times the estimate: deployments are rare, and a failed one costs all its gas. */
const withMargin = (gas: bigint): bigint => withinCap(gas, (gas * 3n) / 2n)

const send = Effect.fnUntraced(function* (
  client: ChainClient,
  keys: RelayerKeys["Service"],
  lane: Address.Address,
  transaction: Deployment.DeployTransaction
) {
  const gas = yield* client.estimateGas({ from: lane, to: transaction.to, data: transaction.data }).pipe(
    Effect.catchTag(
      "CallReverted",
      ({ isOutOfGas = false }) =>
        new DeploymentFailed({
          chainId: client.chain.id,
          detail: isOutOfGas
            ? `the ${transaction.contract} needs more gas than a transaction may have there`
            : `the ${transaction.contract}'s constructor would revert; every allow-listed target must be a contract there`
        })
    )
  )
  const { fee, hash } = yield* OperatorTransaction.send(
    client,
    { keys, account: lane },
    { to: transaction.to, data: transaction.data, gas: withMargin(gas) }
  ).pipe(
    Effect.catchTag("NotDone", ({ detail }) => Effect.fail(new DeploymentFailed({ chainId: client.chain.id, detail }))),
    Effect.annotateLogs({ contract: transaction.contract })
  )
  yield* Effect.logInfo("mined", { contract: transaction.contract, txHash: hash, feeWei: fee.toString() })
})

const NAMES = ["guard", "delegate", "entry"] as const

/** Fails when a contract is missing or has other code. */
const expecting = Effect.fnUntraced(function* (
  chainId: number,
  plan: Deployment.Plan,
  findings: Findings,
  acceptable: ReadonlyArray<Deployment.Finding>
) {
  const amiss = NAMES.filter((name) => !acceptable.includes(findings[name]))
  if (amiss.length === 0) return
  return yield* new DeploymentFailed({
    chainId,
    detail: `the chain differs from the plan: ${amiss.map((name) => `${name} at ${plan.contracts[name].address} is ${findings[name]}`).join(", ")}`
  })
})

/** State of a part's address. */
export const inspectPart = (client: ChainClient, part: Deployment.Part) =>
  Effect.map(client.code(part.address), (code) => Deployment.judge(part, code))

const requireDeployer = Effect.fnUntraced(function* (client: ChainClient) {
  if (Deployment.hasDeployer(yield* client.code(Deployment.DETERMINISTIC_DEPLOYER))) return
  return yield* new DeploymentFailed({
    chainId: client.chain.id,
    detail: `the deterministic deployer ${Deployment.DETERMINISTIC_DEPLOYER} is not on this chain; deploy it first`
  })
})

/** Deploys a part if it is missing, and verifies its code. Returns true if it was missing. */
export const deployPart = Effect.fn("Deployer.deployPart")(function* (
  client: ChainClient,
  part: Deployment.Part,
  sender: { readonly keys: RelayerKeys["Service"]; readonly lane: Address.Address }
) {
  const before = yield* inspectPart(client, part)
  if (before === "right") return false
  if (before === "missing") {
    yield* requireDeployer(client)
    yield* send(client, sender.keys, sender.lane, part.transaction)
  }
  const after = before === "missing" ? yield* inspectPart(client, part) : before
  if (after === "right") return true
  return yield* new DeploymentFailed({
    chainId: client.chain.id,
    detail: `the chain differs from the plan: ${part.transaction.contract} at ${part.address} is ${after}`
  })
})

/** Deploys missing contracts and verifies all. Fails before it sends anything when an address holds other code. */
export const deploy = Effect.fn("Deployer.deploy")(function* (
  client: ChainClient,
  plan: Deployment.Plan,
  sender: { readonly keys: RelayerKeys["Service"]; readonly lane: Address.Address }
) {
  const chainId = client.chain.id
  const before = yield* inspect(client, plan)
  yield* expecting(chainId, plan, before, ["right", "missing"])
  const missing = Deployment.outstanding(plan, before)
  if (missing.length > 0) yield* requireDeployer(client)
  yield* Effect.forEach(missing, (transaction) => send(client, sender.keys, sender.lane, transaction), {
    discard: true
  })
  const after = yield* inspect(client, plan)
  yield* expecting(chainId, plan, after, ["right"])
  return { deployed: missing.map((transaction) => transaction.contract), findings: after }
})
