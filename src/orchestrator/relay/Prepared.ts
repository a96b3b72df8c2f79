/** The relayer's vocabulary: a claimed intent on its way into a transaction. */
import type { Authorization } from "../../domain/Delegation.ts"
import type { ExposureClass } from "../../domain/Exposure.ts"
import type { PriceLimits } from "../../domain/FeeCover.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { SweepGas } from "../../domain/RelayGas.ts"
import type { UnsettledCause } from "../../domain/SweepVerdict.ts"
import type { Intent, Submission } from "../../ports/orchestrator/Intents.ts"

/** A claimed intent with its signatures. */
export type Signed = Intent & { readonly submission: Submission }

/** A sweep that passed every check before simulation. */
export interface Candidate {
  readonly intent: Signed
  /** Calldata of `execute`. */
  readonly data: Hex
  /** The authorization to attach; undefined when the account already runs our delegate. */
  readonly authorization: Authorization | undefined
  /** Classes of its exposure if it is its owner's first sweep, of listed tokens, and a budget limits those. Empty otherwise. */
  readonly first: ReadonlyArray<ExposureClass>
  /** Limits that its network fee sets. */
  readonly prices: PriceLimits
}

/** A sweep that would settle in the next block. */
export interface Ready extends Candidate {
  readonly gas: SweepGas
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
