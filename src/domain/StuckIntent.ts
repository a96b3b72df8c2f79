/** Responses of `GET /admin/intents` and `POST /admin/intents/:id/retry`: sweeps without progress, with the reason. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash } from "./Hex.ts"
import { described } from "./Described.ts"
import { FailureReason } from "./Intent.ts"

/** Machine-readable name of what a stuck intent waits for. */
export const WaitsFor = Schema.Literals([
  /** An operator paused the chain, its daily gas budget is spent, or its base fee is above the limit. */
  "operator",
  /** The chain's node does not answer, or is behind. */
  "chain",
  /** A lane with gas and a working key. */
  "lane",
  /** Another sweep of the same owner, as one at a time is sent, or the owner's own transactions in a node's pool. */
  "owner",
  /** The end of a relayer's lease: the relayer has claimed it and not finished. */
  "lease",
  /** A price of gas that the sweep's network fee covers. */
  "gas_price",
  /** The next attempt, after one that could not be made. */
  "rest",
  /** A relayer that claims it. */
  "relayer",
  /** A node that accepts its signed transaction. */
  "broadcast",
  /** A block that includes its transaction. */
  "inclusion",
  /** Confirmations of its transaction. */
  "confirmation",
  /** The watcher, which will end it: its deadline has passed or will pass before it can settle. */
  "expiry",
  /** The bridge's delivery. */
  "delivery"
]).annotate({ identifier: "WaitsFor" })
export type WaitsFor = typeof WaitsFor.Type

export const StuckIntent = Schema.Struct({
  id: described(Schema.String, "Identifier of the intent."),
  status: described(Schema.Literals(["submitted", "settled_source"]), "Status of the intent."),
  owner: described(Address.Address, "Account that sweeps."),
  sourceChainId: described(ChainId, "Source chain."),
  destChainId: described(ChainId, "Destination chain."),
  builderId: described(Schema.optionalKey(Schema.String), "Builder to which the sweep is attributed."),
  sinceMs: described(Schema.Int, "UNIX time in milliseconds when the intent reached its status."),
  deadline: described(Uint256, "UNIX time in seconds after which the order cannot settle."),
  txHash: described(Schema.optionalKey(Hash), "Newest version of the source transaction."),
  waitsFor: described(WaitsFor, "Cause of the delay, as a code."),
  explanation: described(Schema.String, "Cause of the delay, as text."),
  advice: described(
    Schema.NullOr(Schema.String),
    "Action that an operator can take. Null if there is nothing to do but wait."
  ),
  pendingFailureReason: described(
    Schema.optionalKey(FailureReason),
    "Reason for which the sweep is no longer sent. It fails with this reason after the order's deadline, unless it settles before."
  ),
  retryable: described(Schema.Boolean, "True if `retry` can help: no transaction carries the intent.")
}).annotate({ identifier: "StuckIntent" })
export type StuckIntent = typeof StuckIntent.Type

export const StuckIntents = Schema.Struct({
  intents: described(Schema.Array(StuckIntent), "Stuck intents, oldest first."),
  total: described(Schema.Int, "Number of stuck intents, including those beyond the limit.")
}).annotate({ identifier: "StuckIntents" })
export type StuckIntents = typeof StuckIntents.Type

export const RetryOutcome = Schema.Struct({
  id: described(Schema.String, "Identifier of the intent."),
  outcome: described(
    Schema.Literals(["requeued", "carried", "past", "unsigned"]),
    "`requeued`: a relayer can claim it now. `carried`: a transaction carries it. `past`: it has settled or ended. `unsigned`: it was not submitted. Only `requeued` changes anything."
  ),
  explanation: described(Schema.String, "Outcome as text.")
}).annotate({ identifier: "RetryOutcome" })
export type RetryOutcome = typeof RetryOutcome.Type
