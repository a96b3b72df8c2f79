/**
 * Alerts for a chain that has no new head, whose base fee is above the operator's limit, that lacks the service's contracts, whose
 * nodes serve another chain, or on which nothing can be simulated. Each process judges by its own nodes.
 */
import { Clock, Effect, Result } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { lowerPrice } from "../../domain/ChainMoney.ts"
import { staleAfterSeconds } from "../../domain/HeadLag.ts"
import type { Block, ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { within } from "../../runtime/Within.ts"
import { CHAIN_HEAD_AGE } from "../../telemetry/metrics/Upstreams.ts"
import * as LowerPrices from "../shared/LowerPrices.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import { missingContracts } from "./ChainHealth.ts"
import { PROBE_MILLIS } from "./Probe.ts"

/** Maximum age of the head, in milliseconds. All readers of an idle chain share one request in this time. */
const HEAD_MILLIS = 10_000

/** Pause between checks of contracts that were there, in milliseconds. */
const CONTRACTS_MILLIS = 600_000

/** Time for which the base fee has to stay within its limit until the alert ends, in milliseconds. A busy chain crosses it often. */
const WITHIN_LIMIT_MILLIS = 300_000

/** The result of a request; undefined if the node is silent. */
const asked = <A>(request: Effect.Effect<A, ChainUnavailable>) =>
  Effect.map(within(PROBE_MILLIS)(Effect.result(request)), (answer) =>
    answer._tag === "Some" ? answer.value : undefined
  )

/**
 * Base fee of the head. Above a limit, it is the lower one of two endpoints, so that the operator is not told to raise the limit because
 * of a false one.
 */
const baseFeeOf = Effect.fnUntraced(function* (
  client: ChainClient,
  { baseFeePerGas }: Block,
  limit: bigint | undefined
) {
  if (limit === undefined || baseFeePerGas <= limit) return baseFeePerGas
  const answer = yield* asked(LowerPrices.baseFee(client))
  return answer === undefined || Result.isFailure(answer) ? baseFeePerGas : lowerPrice(baseFeePerGas, answer.success)
})

/** Two nodes are named if they have different blocks, and nobody knows whose are true. */
const elsewhereMessage = (chainName: string, nodes: ReadonlyArray<string>): string =>
  nodes.length > 1
    ? `Nodes of ${chainName} have different blocks, or serve another chain. Find out which one is on a fork, and correct rpcUrls in the chains file.`
    : `A node of ${chainName} serves another chain and is not used. Correct rpcUrls in the chains file.`

/** Raises an alert while the condition holds, and ends it otherwise. */
type AlertIf = (
  isRaised: boolean,
  kind: "chain_stale" | "contracts_missing" | "fee_limit" | "simulation_unavailable" | "wrong_chain_id",
  message: string,
  details: Readonly<Record<string, string | number>>
) => Effect.Effect<void, StoreUnavailable>

/** Makes the review of a head's base fee. It runs also while nobody sweeps, since quotes are refused from the moment of the limit. */
const makeReviewBaseFee = Effect.fnUntraced(function* (client: ChainClient, alertIf: AlertIf) {
  const withLimits = yield* LimitChoices.make
  const { chain } = client
  /** The newest block whose base fee was above the limit: UNIX milliseconds, and that limit in wei. */
  let above: { readonly atMillis: number; readonly limit: bigint } | undefined

  return Effect.fnUntraced(function* (head: Block) {
    const { maxFeePerGasWei } = yield* withLimits(chain)
    const baseFeePerGas = yield* baseFeeOf(client, head, maxFeePerGasWei)
    const now = yield* Clock.currentTimeMillis
    const isAbove = maxFeePerGasWei !== undefined && baseFeePerGas > maxFeePerGasWei
    if (isAbove) above = { atMillis: now, limit: maxFeePerGasWei }
    else if (above !== undefined && above.limit === maxFeePerGasWei && ageOf(now, above.atMillis) < WITHIN_LIMIT_MILLIS)
      return
    yield* alertIf(
      isAbove,
      "fee_limit",
      `The base fee of ${chain.name} is above the chain's maxFeePerGasWei: quotes are refused and nothing is sent until it falls, or until the limit is raised by ./sweep operate limits or in the chains file.`,
      { baseFeeWei: String(baseFeePerGas), maxFeePerGasWei: String(maxFeePerGasWei) }
    )
  })
})

/** Makes `review`, one round of reviews of a chain. The chain counts as stale from when its newest block was seen. */
export const make = Effect.fnUntraced(function* (client: ChainClient) {
  const alerts = yield* RenewedAlerts
  const { chain } = client
  /** The first block that this process sees is not known to be new. */
  let newest = { hash: "", atMillis: yield* Clock.currentTimeMillis, isNew: false }
  /** UNIX milliseconds of the newest check that found all contracts. */
  let deployedAt = Number.NEGATIVE_INFINITY

  const alertIf: AlertIf = (isRaised, kind, message, details) => {
    const key = `${kind}:${chain.id}`
    return isRaised
      ? alerts.raise({ key, severity: "critical", kind, message, details: { chainId: chain.id, ...details } })
      : alerts.end(key)
  }

  const reviewBaseFee = yield* makeReviewBaseFee(client, alertIf)

  const reviewHead = Effect.gen(function* () {
    const answer = yield* asked(client.recentHead(HEAD_MILLIS))
    const now = yield* Clock.currentTimeMillis
    if (answer !== undefined && Result.isSuccess(answer) && answer.success._tag === "Some") {
      const head = answer.success.value
      // Its timestamp proves nothing, since the chain's clock is another one.
      if (head.hash !== newest.hash) newest = { hash: head.hash, atMillis: now, isNew: newest.hash !== "" }
      // The clock may have been set back meanwhile.
      else if (newest.atMillis > now) newest = { ...newest, atMillis: now }
      yield* reviewBaseFee(head)
    }
    yield* CHAIN_HEAD_AGE.record((now - newest.atMillis) / 1_000, { chain_id: String(chain.id) })
    // Also while the other nodes answer, since the chain has fewer nodes than its operator believes.
    const elsewhere = yield* client.elsewhere
    yield* alertIf(elsewhere.length > 0, "wrong_chain_id", elsewhereMessage(chain.name, elsewhere), {
      detail: elsewhere.join(", ")
    })
    const limit = staleAfterSeconds(chain)
    const isStale = now - newest.atMillis > limit * 1_000
    // A process that has just started does not end the alert of its predecessor.
    if (!isStale && !newest.isNew) return
    yield* alertIf(
      isStale,
      "chain_stale",
      `${chain.name} has shown a process no new block for more than ${limit} seconds. If it shows none to any process, its sweeps wait. Check its nodes, and the network of the process whose sweep_chain_head_age_seconds is high.`,
      { staleAfterSeconds: limit }
    )
  })

  const reviewContracts = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // A process that saw them missing may have gone meanwhile.
    if (ageOf(now, deployedAt) < CONTRACTS_MILLIS) return yield* alerts.end(`contracts_missing:${chain.id}`)
    const answer = yield* asked(missingContracts(client))
    // Without an answer, the last finding stands.
    if (answer === undefined || Result.isFailure(answer)) return
    const missing = answer.success
    if (missing.length === 0) deployedAt = now
    yield* alertIf(
      missing.length > 0,
      "contracts_missing",
      `A node of ${chain.name} has no code at the address of: ${missing.join(", ")}. Deploy the contracts, or correct their addresses. Without the entry nothing is sent, and without the others sweeps on this chain fail.`,
      { missing: missing.join(", ") }
    )
  })

  const reviewSimulation = Effect.gen(function* () {
    const answer = yield* asked(client.canSimulate)
    if (answer === undefined || Result.isFailure(answer)) return
    yield* alertIf(
      !answer.success,
      "simulation_unavailable",
      `A process has no endpoint of ${chain.name} that takes state overrides in eth_call, so it can simulate nothing: it refuses quotes, and sends no sweeps. Add an endpoint that does to rpcUrls.`,
      {}
    )
  })

  return Effect.all([reviewHead, reviewContracts, reviewSimulation], { concurrency: "unbounded", discard: true })
})
