/** The watcher's vocabulary: observations, plans, findings and reports. */
import { Cause, Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { MarketFees } from "../../domain/FeeCover.ts"
import type { Attempt, Inclusion, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Block, ChainUnavailable, FeesPerGas, Receipt } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { Resolution } from "../settle/Settlements.ts"
import type { ChainView } from "../shared/ChainView.ts"

/** Scheduled passes are patient. One that is asked for acts on everything, and waits for its end. */
export type Patience = "patient" | "impatient"

/** State that one pass over one chain shares between its transactions. */
export interface ChainPass {
  readonly view: ChainView
  readonly market: FeesPerGas
  /** Highest nonce of each lane's unfinished transactions. */
  readonly lastNonces: ReadonlyMap<Address.Address, bigint>
  /** Transaction count of each lane with unfinished transactions, in the newest block. */
  readonly laneNonces: ReadonlyMap<Address.Address, bigint>
  /** The canonical block of a number. Asks the node once per pass. */
  readonly block: (number: bigint) => Effect.Effect<Option.Option<Block>, ChainUnavailable>
}

/** Passes of this process that saw a nonce used at a confirmed block, and no receipt of a transaction's versions. */
export interface Displaced {
  readonly passes: number
  /** UNIX time of the first of these passes in milliseconds. */
  readonly sinceMs: number
}

/** Everything that one pass observed about a relay transaction. */
export interface Observation {
  readonly transaction: Pick<RelayTransaction, "kind" | "nonce" | "inclusion"> & {
    /** The attempt that was signed last. */
    readonly newest: Attempt
  }
  /** The canonical block that holds one of its attempts, if any. */
  readonly mined: Inclusion | undefined
  /**
   * Tells if the block that was noted earlier is still canonical. Undefined if the node does not have a block of its number, which proves
   * nothing, and when none was noted.
   */
  readonly inclusionStands: boolean | undefined
  /** Number of the newest block. */
  readonly head: bigint
  readonly confirmations: number
  /** The lane's transaction count in the newest block and in the newest confirmed block. */
  readonly laneNonce: { readonly latest: bigint; readonly confirmed: bigint }
  /** Set while the nonce is used at a confirmed block without a receipt of the transaction, this pass included. */
  readonly displaced?: Displaced | undefined
  /** True when at least one of its intents is open and can still settle in time. */
  readonly wanted: boolean
  readonly nowMs: number
  readonly market: MarketFees
  /** The operator's maximum fee per gas in wei. Undefined: no limit. */
  readonly feeLimit?: bigint | undefined
  /** True if it carries intents, and no block can settle any of them any more. */
  readonly isOverdue: boolean
  /** Time for which its lane has not been able to sign, in milliseconds. */
  readonly outageMillis: number
}

/** Next step for a relay transaction. */
export type TransactionPlan =
  | { readonly _tag: "Wait" }
  /** Send the newest attempt's bytes, again or for the first time. */
  | { readonly _tag: "Rebroadcast" }
  /** Sign the same content, or a part of it, with higher fees. `FeeCoverReplacement` computes them. */
  | { readonly _tag: "Bump" }
  /** Sign a self-send with higher fees: the nonce must be used, but the sweeps are no longer wanted. */
  | { readonly _tag: "Cancel" }
  /** Note the block. A reorganisation may still remove it. */
  | { readonly _tag: "Include"; readonly inclusion: Inclusion }
  /** The block is confirmed: decide each intent by the receipt's events, then finish. */
  | { readonly _tag: "Conclude" }
  /** The noted block is no longer canonical: forget it and send again. */
  | { readonly _tag: "Reorged" }
  /** A foreign transaction used the nonce for good: release the intents. */
  | { readonly _tag: "Detach" }
  /** No block can settle the intents any more, and nobody can free the nonce: detach them. The transaction stays for its nonce. */
  | { readonly _tag: "Release" }

/** A mined transaction with its canonical block. */
export interface Included {
  readonly receipt: Receipt
  readonly block: Block
}

/** A transaction to conclude, with its receipt. */
export interface Concluding extends Included {
  readonly transaction: RelayTransaction
}

/** Result of one check: the action on a transaction, and the resolutions of intents. */
export interface Finding {
  readonly action: "none" | "rebroadcast" | "replaced" | "concluded"
  readonly resolutions: ReadonlyArray<Resolution>
  /** Set when the node did not answer. */
  readonly unavailable?: ChainUnavailable
}

/** Result of one round of every duty. */
export interface PassReport {
  /** Relay transactions that the pass looked at. */
  readonly transactions: number
  readonly rebroadcast: number
  readonly replaced: number
  readonly settledSource: number
  readonly delivered: number
  readonly failed: number
  /** Chains whose node did not answer. Their intents wait for the next pass. */
  readonly unavailableChains: ReadonlyArray<number>
}

/** Result of a round of every duty, followed by a delivery of the outbox. */
export interface TickReport extends PassReport {
  /** Messages that the builder backend acknowledged. */
  readonly outboxDelivered: number
}

/** Things of one chain that a pass looks at concurrently when each may ask the node several times. */
export const CONCURRENCY = 8

export const NOTHING: Finding = { action: "none", resolutions: [] }

/** Resolution of an intent without a concluded transaction of the relayer. */
export const resolved = (resolution: Resolution): Finding => ({ action: "none", resolutions: [resolution] })

/** Wei that the lane paid for a mined transaction. */
export const costOf = ({ dataFee = 0n, effectiveGasPrice, gasUsed }: Receipt): bigint =>
  gasUsed * effectiveGasPrice + dataFee

/** Alert that a stranger seems to use the lane's key. */
export const foreignNonceKey = (chainId: number, lane: Address.Address): string => `foreign_nonce:${chainId}:${lane}`

export const inclusionOf = ({ receipt }: Pick<Included, "receipt">): Inclusion => ({
  hash: receipt.transactionHash,
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash
})

/** Turns a failure to look at one thing into a finding, so that the pass continues. Failures of the store end the pass. */
export const isolated = <A>(
  look: Effect.Effect<A, ChainUnavailable | StoreUnavailable>
): Effect.Effect<A | Finding, StoreUnavailable> =>
  look.pipe(
    // A node that does not have a block answers, and a later pass asks it again.
    Effect.catchTag("ChainUnavailable", (unavailable) =>
      Effect.succeed(unavailable.isBlockUnknown === true ? NOTHING : { ...NOTHING, unavailable })
    ),
    Effect.catchDefect((defect) => Effect.as(Effect.logError("watch.failed", Cause.die(defect)), NOTHING))
  )

/** Result of one round of a duty. */
export interface Looked {
  /** Relay transactions that the round looked at. */
  readonly transactions: number
  readonly findings: ReadonlyArray<Finding>
}

/** Sums up the findings of every duty. */
export const report = (looked: ReadonlyArray<Looked>): PassReport => {
  const findings = looked.flatMap((duty) => duty.findings)
  const resolutions = findings.flatMap((finding) => finding.resolutions)
  const acted = (action: Finding["action"]) => findings.filter((finding) => finding.action === action).length
  const became = (resolution: Resolution) => resolutions.filter((each) => each === resolution).length
  return {
    transactions: looked.reduce((sum, duty) => sum + duty.transactions, 0),
    rebroadcast: acted("rebroadcast"),
    replaced: acted("replaced"),
    settledSource: became("settled_source"),
    delivered: became("delivered"),
    failed: became("failed"),
    unavailableChains: [
      ...new Set(findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable.chainId])))
    ]
  }
}
