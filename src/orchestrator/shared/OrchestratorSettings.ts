/** Settings of the orchestrator's use cases. `config/Orchestrator.ts` declares their defaults and reads them from the environment. */
import { Context, Layer } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { FeePolicy } from "../../domain/Fees.ts"

export interface OrchestratorSettingsShape {
  /** EIP-712 domain name of orders; an immutable of the delegates. */
  readonly domainName: string
  readonly fees: FeePolicy
  /** How long a quote can be submitted. */
  readonly quoteLifetimeMillis: number
  /** How long after its quote's expiry an order can still settle: its `deadline`. */
  readonly orderGraceSeconds: number
  /** What a same-chain swap may lose against its quote. */
  readonly slippageBps: number
  /** Where a sweep starts when neither hint, token nor balance tells. */
  readonly defaultSourceChain: ChainId | undefined
  /** How old a sanctions clearance may be when the relayer sends. */
  readonly clearanceLifetimeMillis: number
  readonly relayer: {
    /** How often to look for work when nothing wakes the relayer. */
    readonly pollMillis: number
    /** A claim that is not followed up ends after this. */
    readonly leaseMillis: number
    /** Sweeps in one transaction, at most. */
    readonly batch: number
    /** Batches that each lane prepares, signs and hands over at once; more arrivals gather meanwhile for the next one. */
    readonly batchesPerLane: number
    /** A transaction unconfirmed for this long is broadcast again. */
    readonly rebroadcastMillis: number
    /** A transaction unconfirmed for this long is replaced with higher fees. */
    readonly bumpMillis: number
    /** Chains on which nothing is sent; what was sent is followed to its end. */
    readonly pausedChains: ReadonlyArray<ChainId>
    /** Wei that the lanes of one chain may spend in a day; more needs an operator. No limit where undefined. */
    readonly dailySpendCap: bigint | undefined
    /** Sweeps that may fail at the relayer's cost within the window, of one owner and of one builder's. */
    readonly failureBudget: { readonly owner: number; readonly builder: number; readonly windowMillis: number }
    /** The lane's balance, in wei, under which it pauses and alerts. */
    readonly minLaneBalance: bigint
  }
  readonly watcher: {
    readonly pollMillis: number
    /** How many intents one pass looks at, per chain. */
    readonly batch: number
  }
  readonly outbox: {
    readonly pollMillis: number
    readonly leaseMillis: number
    readonly batch: number
  }
}

export class OrchestratorSettings extends Context.Service<OrchestratorSettings, OrchestratorSettingsShape>()(
  "sweep/orchestrator/OrchestratorSettings"
) {
  static readonly layer = (settings: OrchestratorSettingsShape) => Layer.succeed(OrchestratorSettings, settings)
}
