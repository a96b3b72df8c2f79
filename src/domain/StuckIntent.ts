/** What `GET /admin/intents` and `POST /admin/intents/:id/retry` answer: sweeps that do not get on, and why. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash } from "./Hex.ts"
import { described } from "./Described.ts"

/** What a stuck intent waits for, for machines. */
export const WaitsFor = Schema.Literals([
  /** An operator paused the chain, or its daily gas is spent. */
  "operator",
  /** The chain's node does not answer, or is behind. */
  "chain",
  /** A lane that can pay and sign. */
  "lane",
  /** Another sweep of the same owner, of which one at a time is sent. */
  "owner",
  /** A relayer has taken it, and has not said what became of it. */
  "lease",
  /** The end of the rest after an attempt that could not be made. */
  "rest",
  /** A relayer to take it. */
  "relayer",
  /** A node to take its signed transaction. */
  "broadcast",
  /** A block to hold its transaction. */
  "inclusion",
  /** Blocks upon the one that holds its transaction. */
  "confirmation",
  /** The watcher to end it: its deadline has passed, or will before it can settle. */
  "expiry",
  /** The bridge to deliver it. */
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
