/** What `GET /admin/intents` and `POST /admin/intents/:id/retry` answer: sweeps that do not get on, and why. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash } from "./Hex.ts"

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
  id: Schema.String,
  status: Schema.Literals(["submitted", "settled_source"]),
  owner: Address.Address,
  sourceChainId: ChainId,
  destChainId: ChainId,
  builderId: Schema.optionalKey(Schema.String),
  /** When it came to its status, in UNIX milliseconds. */
  sinceMs: Schema.Int,
  /** Until when its order can settle, in UNIX seconds. */
  deadline: Uint256,
  /** The source transaction's newest version. */
  txHash: Schema.optionalKey(Hash),
  waitsFor: WaitsFor,
  /** In words. */
  explanation: Schema.String,
  /** What an operator can do; null where waiting is all there is. */
  advice: Schema.NullOr(Schema.String),
  /** Whether `retry` can change something: nothing carries it. */
  retryable: Schema.Boolean
}).annotate({ identifier: "StuckIntent" })
export type StuckIntent = typeof StuckIntent.Type

export const StuckIntents = Schema.Struct({
  /** Oldest first. */
  intents: Schema.Array(StuckIntent),
  /** How many there are; more than are listed where the limit cut them off. */
  total: Schema.Int
}).annotate({ identifier: "StuckIntents" })
export type StuckIntents = typeof StuckIntents.Type

export const RetryOutcome = Schema.Struct({
  id: Schema.String,
  outcome: Schema.Literals([
    /** Free to be taken: whatever kept it back in the queue is cleared. */
    "requeued",
    /** A transaction carries it: nothing was changed. */
    "carried",
    /** Settled at its source, or at its end: nothing was changed. */
    "past",
    /** Quoted and not submitted: there is nothing to send. */
    "unsigned"
  ]),
  explanation: Schema.String
}).annotate({ identifier: "RetryOutcome" })
export type RetryOutcome = typeof RetryOutcome.Type
