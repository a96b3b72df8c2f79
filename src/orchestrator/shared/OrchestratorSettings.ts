/** Settings of the orchestrator's use cases. `config/Orchestrator.ts` declares their defaults and reads them from the environment. */
import { Context, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { FeeRule } from "../../domain/FeePolicy.ts"
import type { FeePolicy } from "../../domain/Fees.ts"

export interface OrchestratorSettingsShape {
  /** EIP-712 domain name of orders; an immutable of the delegates. */
  readonly domainName: string
  readonly fees: FeePolicy
  /** Rules of the protocol fee, which go before the rates of the tiers. */
  readonly feeRules: ReadonlyArray<FeeRule>
  /** Lifetime of a quote. */
  readonly quoteLifetimeMillis: number
  /** Time after the expiry of its quote in which an order can still settle. Sets the order's `deadline`. */
  readonly orderGraceSeconds: number
  /** Slippage tolerance of swaps whose request names none, in basis points. */
  readonly slippage: {
    /** Undefined: it follows from what is measured, between the other two. */
    readonly fixedBps: number | undefined
    readonly floorBps: number
    readonly capBps: number
  }
  /** Highest part of a sweep that its tokens may take as fees on transfer, in basis points. */
  readonly maxTransferFeeBps: number
  /** Chain where a sweep starts if the route hint, the token and the balances do not decide it. */
  readonly defaultSourceChain: ChainId | undefined
  /** Maximum age of a sanctions clearance when the relayer sends. */
  readonly clearanceLifetimeMillis: number
  readonly relayer: {
    /** Interval at which the relayer looks for work that no event announced. */
    readonly pollMillis: number
    /** Lifetime of a claim. Work of a relayer that died is free again after it. */
    readonly leaseMillis: number
    /** Maximum number of sweeps in one transaction. */
    readonly batch: number
    /** Maximum gas limit of a sweep that runs code of a token that is not on its chain's list. */
    readonly unlistedSweepGas: bigint
    /** Maximum number of batches in progress per lane. Sweeps that arrive in the meantime wait for the next batch. */
    readonly batchesPerLane: number
    /** Shortest time between two claims that find something. Sweeps that arrive in the meantime go together. */
    readonly gatherMillis: number
    /** Age at which an unconfirmed transaction is broadcast again. */
    readonly rebroadcastMillis: number
    /** Age at which an unconfirmed transaction is replaced with higher fees. */
    readonly bumpMillis: number
    /** Chains that are paused unless the operator chose otherwise. Transactions already sent are followed until they conclude. */
    readonly pausedChains: ReadonlyArray<ChainId>
    /** Maximum gas cost of all lanes of one chain in 24 hours, in wei. Undefined: no limit. */
    readonly dailySpendCap: bigint | undefined
    /** Loss of all sweeps with unlisted tokens in one hour, in wei of ETH. 0: only sweeps of listed tokens. */
    readonly unlistedLossBudget: bigint
    /** Loss of all sweeps of listed tokens in one hour, in wei of ETH. */
    readonly lossBudget: bigint
    /** Loss of first sweeps in one hour above what they earned, in wei of ETH. 0: none is sent. */
    readonly firstSweepsLossBudget: bigint
    /** Cost of a sweep above the value of its network fee, in basis points of that value: when it is sent, and at most. */
    readonly feeCover: { readonly toleranceBps: number; readonly lossBps: number }
    /** Maximum number of failed sweeps on chain within the window, per owner and per builder. */
    readonly failureBudget: { readonly owner: number; readonly builder: number; readonly windowMillis: number }
    /** Accounts beside the lanes that may receive the rest of a lane. */
    readonly laneRestRecipients: ReadonlyArray<Address.Address>
    /** Minimum balance of a lane, in wei. A lane below it pauses and raises an alert. */
    readonly minLaneBalance: bigint
  }
  readonly prices: {
    /** Distance from the last good price of a listed token that needs confirmation, in basis points. */
    readonly maxDeviationBps: number
    /** Maximum age of the last good price of a listed token. */
    readonly maxAgeMillis: number
    /** Number of sources that must agree on a price before it counts. */
    readonly minSources: number
    /** US dollars that a pool must pay before its price has moved by 3 %. */
    readonly minDepthUsd: number
    /** Part of what a fee in an unlisted token sells for that does not count, in basis points. */
    readonly unlistedHaircutBps: number
  }
  readonly watcher: {
    readonly pollMillis: number
    /** Maximum number of intents per chain and pass. */
    readonly batch: number
  }
  readonly outbox: {
    readonly pollMillis: number
    readonly leaseMillis: number
    readonly batch: number
  }
  /** Parts of the service in processes of their own. */
  readonly roles: {
    /** Time without a sign of life after which a role counts as abandoned. */
    readonly lifetimeMillis: number
  }
  /** Sales of collected fees. */
  readonly treasury: {
    /** Token that fees are sold into, by chain. Fees of other chains are not sold. */
    readonly assets: ReadonlyArray<{ readonly chainId: ChainId; readonly token: Address.Address }>
    /** Time between rounds of sales. Undefined: rounds run on request only. */
    readonly intervalMillis: number | undefined
    /** Least value of a balance that is sold, and greatest value of one sale, in US dollars scaled by 10^18. */
    readonly minValue: bigint
    readonly maxValue: bigint
    /** Tolerated difference between the least output of a sale and the value of its input, in basis points. */
    readonly toleranceBps: number
    /** Pause between two looks at open sales. */
    readonly pollMillis: number
    /** Pause between two lots of one balance. */
    readonly lotPauseMillis: number
  }
  /** Ages at which rows are deleted. `KeptData` says from when the age of each counts. */
  readonly retention: {
    readonly quotesMillis: number
    readonly messagesMillis: number
    readonly attemptsMillis: number
    readonly eventsMillis: number
    readonly alertsMillis: number
  }
}

export class OrchestratorSettings extends Context.Service<OrchestratorSettings, OrchestratorSettingsShape>()(
  "sweep/orchestrator/OrchestratorSettings"
) {
  static readonly layer = (settings: OrchestratorSettingsShape) => Layer.succeed(OrchestratorSettings, settings)
}
