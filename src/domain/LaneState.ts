/** Lanes in and out of use. A lane is an account of the relayer, with one state on all chains. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { Hash } from "./Hex.ts"

/** `draining`: takes no new batches. `retired`: nothing of it is in flight, so its key can be removed. */
export const LaneState = Schema.Literals(["active", "draining", "retired"])
export type LaneState = typeof LaneState.Type

/**
 * Time after which a drained lane can be retired, in milliseconds. A batch that was under way when the lane was drained has ended by
 * then, since its lease lasts half as long.
 */
export const DRAIN_MILLIS = 60_000

/** Reason for which a lane cannot be changed as asked. */
export const LaneRefusal = Schema.Literals([
  "last_lane",
  "not_draining",
  "draining_recently",
  "in_flight",
  "not_retired",
  "recipient_not_allowed",
  "nothing_to_move",
  "no_key"
])
export type LaneRefusal = typeof LaneRefusal.Type

/** Facts about a lane that decide its next state. */
export interface LaneFacts {
  readonly state: LaneState
  readonly sinceMs: number
  /** Transactions of the lane that are not final, on all chains. */
  readonly inFlight: number
  /** True if another lane with a key is active. */
  readonly hasOther: boolean
  /** True if a transfer of the lane's rest is not confirmed, or perhaps not. A batch could take its nonce. */
  readonly isEmptying: boolean
}

/** Reason against a change, or undefined. Repeating a change is allowed. */
export const refusal = (wanted: LaneState, facts: LaneFacts, nowMs: number): LaneRefusal | undefined => {
  if (wanted === facts.state) return undefined
  if (wanted === "active") return facts.isEmptying ? "in_flight" : undefined
  if (wanted === "draining") return facts.hasOther || facts.state === "retired" ? undefined : "last_lane"
  if (facts.state !== "draining") return "not_draining"
  if (facts.inFlight > 0) return "in_flight"
  return nowMs - facts.sinceMs < DRAIN_MILLIS ? "draining_recently" : undefined
}

/** Rest of a balance that a transfer can move. Zero if the transfer costs more. All in wei. */
export const movable = (balance: bigint, cost: bigint): bigint => (balance > cost ? balance - cost : 0n)

export const LaneView = Schema.Struct({
  address: described(Address.Address, "Account of the lane."),
  state: described(LaneState, "`active`, `draining` (takes no new batches) or `retired` (nothing is in flight)."),
  sinceMs: described(
    Schema.NullOr(Schema.Int),
    "UNIX time in milliseconds of the last change. Null if there was none."
  ),
  hasKey: described(Schema.Boolean, "True if this replica has the lane's key."),
  isAnswering: described(Schema.Boolean, "False while the lane's signer is left alone after failures."),
  chains: described(
    Schema.Array(
      Schema.Struct({
        chainId: described(ChainId, "Chain."),
        name: described(Schema.String, "Name of the chain."),
        balance: described(Schema.NullOr(Uint256), "Balance in wei. Null if no node answered."),
        inFlight: described(
          Schema.Int,
          "Transactions that are not final at the chain's depth, with a transfer of the lane's rest that is not confirmed."
        ),
        waiting: described(
          Schema.optionalKey(Schema.String),
          "Present while a transfer of the lane's rest is not confirmed, so that the lane cannot be activated: the transfer, what is in its way, and what to do."
        )
      })
    ),
    "Served chains."
  )
}).annotate({ identifier: "Lane" })
export type LaneView = typeof LaneView.Type

export const LaneTransfer = Schema.Struct({
  lane: described(Address.Address, "Account that pays."),
  chainId: described(ChainId, "Chain."),
  recipient: described(Address.Address, "Account that receives."),
  amount: described(Uint256, "Amount in wei."),
  txHash: described(Hash, "Hash of the transaction.")
}).annotate({ identifier: "LaneTransfer" })
export type LaneTransfer = typeof LaneTransfer.Type

export const OperatorRecord = Schema.Struct({
  id: described(Schema.String, "Identifier of the record."),
  atMs: described(Schema.Int, "UNIX time in milliseconds."),
  actor: described(Schema.String, "Who made the change."),
  action: described(Schema.String, "Change, such as `lane.draining`."),
  subject: described(Schema.String, "Changed thing, such as the address of a lane."),
  details: described(Schema.Record(Schema.String, Schema.String), "Values of the change.")
}).annotate({ identifier: "OperatorRecord" })
export type OperatorRecord = typeof OperatorRecord.Type
