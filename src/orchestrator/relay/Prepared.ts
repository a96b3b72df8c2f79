/** The relayer's vocabulary: a claimed intent on its way into a transaction. */
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { ExposureClass } from "../../domain/Exposure.ts"
import type { Claim } from "../../domain/ExposureClaims.ts"
import type { PriceLimits } from "../../domain/FeeCover.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { SweepGas } from "../../domain/RelayGas.ts"
import type { Group, Place } from "../../domain/SweepGroups.ts"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import type { UnsettledCause } from "../../domain/SweepVerdict.ts"
import { isNative } from "../../domain/Token.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { Submission } from "../../ports/orchestrator/Submission.ts"
import type { Block, FeesPerGas } from "../../ports/shared/Chains.ts"

/** A claimed intent with its signatures. */
export type Signed = Intent & { readonly submission: Submission }

/** A sweep that passed every check before simulation. */
export interface Candidate {
  readonly intent: Signed
  /** Calldata for the owner's account that runs this sweep alone. */
  readonly data: Hex
  /** Gas limit of that call. */
  readonly callGas: bigint
  /** The authorization to attach; undefined when the account already runs our delegate. */
  readonly authorization: Authorization | undefined
  /**
   * Classes that it reserves although its tokens are listed: those of its owner's first sweep, or that of batches. Empty for all other
   * sweeps.
   */
  readonly pots: ReadonlyArray<ExposureClass>
  /**
   * True if its transaction checks that its account runs the delegate, which costs gas. Otherwise its account may be delegated to code
   * that burns the gas of the call, once the transaction is sent.
   */
  readonly isChecked: boolean
  /** Wei that the chain charges at present in addition to the gas, for its data. */
  readonly dataFee: bigint
  /** Limits that its network fee sets. */
  readonly prices: PriceLimits
}

/** A sweep that would settle in the next block. */
export interface Ready extends Candidate {
  readonly gas: SweepGas
  /** Ids of the sweeps that settled in the call of its rehearsal in the next block, in their order, with its own. All of them share it. */
  readonly sequence: ReadonlyArray<string>
  /** Claim that holds its reservation. Absent before it is reserved, and for a sweep that reserves nothing. */
  readonly reservedBy?: Claim
}

/** Sweeps of one transaction. */
export type Parcel = ReadonlyArray<Group<Ready>>

/** State of a chain and a lane when a batch is sent. */
export interface Conditions {
  readonly head: Block
  readonly fees: FeesPerGas
  readonly lane: Address.Address
  /** Balance in wei. */
  readonly laneBalance: bigint
  /** The lane's transaction count in the newest block. The pending count is not used: a foreign pending transaction may never be mined. */
  readonly laneNonce: bigint
}

/** Ids of the intents that groups of sweeps belong to. */
export const idsOf = (groups: Parcel): ReadonlyArray<string> =>
  groups.flatMap((group) => group.map(({ intent }) => intent.id))

/** Place of a sweep among those of its account. */
export const placeOf = ({ intent: { order, submission } }: { readonly intent: Intent }): Place => ({
  account: order.owner,
  batch: submission?.batch,
  isNative: isNative(order.tokenIn)
})

/** Intents that the sweeps of a group belong to. */
export const intentsOf = <A>([first, ...rest]: Group<{ readonly intent: A }>): Group<A> => [
  first.intent,
  ...rest.map(({ intent }) => intent)
]

/** Owner of a group's sweeps. */
export const ownerOf = ([{ intent }]: Group<{ readonly intent: Pick<Intent, "order"> }>): Address.Address =>
  intent.order.owner

/** Authorization of a group's account, if one of its sweeps has one. An account needs one only once. */
export const authorizationOf = (group: Group<Pick<Candidate, "authorization">>): Authorization | undefined =>
  group.find(({ authorization }) => authorization !== undefined)?.authorization

/**
 * True if a sweep may pay the account of a later one on the same chain: it is the same, or it receives the output or the builder's fee. A
 * bridge pays the output on another chain.
 */
export const feeds = ({ intent: { order, quote } }: { readonly intent: Intent }, { intent }: Candidate): boolean => {
  const isPaidHere = !isCrossChain(order, quote.sourceChainId)
  return [order.owner, order.builder, ...(isPaidHere ? [order.destination] : [])].includes(intent.order.owner)
}

/** An intent that must not be sent. `text` says why, for people. */
export interface Unfit {
  readonly _tag: "Unfit"
  readonly intent: Signed
  readonly cause: UnsettledCause
  readonly text: string
}

/** An intent to try again later, for a temporary reason. `text` says why, for people. */
export interface Later {
  readonly _tag: "Later"
  readonly intent: Signed
  readonly text: string
  /** Pause before it is tried again, in milliseconds. Default: that of `Postponement`. */
  readonly pauseMillis?: number
  /** True if its reservation ends meanwhile, since owners can cause such a delay at no cost. */
  readonly givesRoom?: boolean
}

/** An intent whose network fee does not cover its present cost. `text` says by how much, for people. */
export interface Waiting {
  readonly _tag: "Waiting"
  readonly intent: Signed
  /** Pause before it is judged again, in milliseconds. */
  readonly pauseMillis: number
  readonly text: string
}

export type Prepared = { readonly _tag: "Ready"; readonly ready: Ready } | Unfit | Later | Waiting

/** An intent that is refused for `reason`. */
export const unfit = (
  intent: Signed,
  reason: (UnsettledCause & { readonly _tag: "Refused" })["reason"],
  text: string
): Unfit => ({ _tag: "Unfit", intent, cause: { _tag: "Refused", reason }, text })

export const later = (intent: Signed, text: string, pauseMillis?: number): Later => ({
  _tag: "Later",
  intent,
  text,
  ...(pauseMillis === undefined ? {} : { pauseMillis })
})

/** As {@link later}, and the sweep keeps no room in a budget meanwhile. */
export const laterWithoutRoom = (intent: Signed, text: string): Later => ({ ...later(intent, text), givesRoom: true })

/** Text of a {@link Later} that settled in its rehearsal only. */
export const OUT_OF_ORDER = "it does not settle in the order in which it would be sent"
