/**
 * Responses of `GET /admin/find` and `GET /admin/intents/:id`: sweeps that an operator looks for, and all that the orchestrator knows of
 * one.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { Hash } from "./Hex.ts"
import { FailureReason, IntentStatus } from "./Intent.ts"
import { Quote } from "./Quote.ts"
import { WaitsFor } from "./StuckIntent.ts"
import { SweepOrder } from "./SweepOrder.ts"

export const FoundSweep = Schema.Struct({
  id: described(Schema.String, "Identifier of the intent."),
  status: described(IntentStatus, "Status of the intent."),
  owner: described(Address.Address, "Account that sweeps."),
  sourceChainId: described(ChainId, "Source chain."),
  destChainId: described(ChainId, "Destination chain."),
  tokenIn: described(Address.Address, "Token that is swept."),
  amountIn: described(Uint256, "Amount, in the smallest unit of tokenIn."),
  tokenOut: described(Address.Address, "Token that the destination receives."),
  builderId: described(Schema.optionalKey(Schema.String), "Builder to which the sweep is attributed."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds of the quote.")
}).annotate({ identifier: "FoundSweep" })
export type FoundSweep = typeof FoundSweep.Type

/** Part that an address plays in this deployment. */
export const AddressRole = Schema.Struct({
  role: described(
    Schema.Literals([
      "lane",
      "delegate",
      "guard",
      "entry",
      "fee_recipient",
      "builder_vault",
      "router",
      "bridge",
      "token"
    ]),
    "Part of the address in this deployment."
  ),
  chainId: described(ChainId, "Chain."),
  name: described(Schema.optionalKey(Schema.String), "Symbol of a token.")
}).annotate({ identifier: "AddressRole" })
export type AddressRole = typeof AddressRole.Type

export const FoundByOrchestrator = Schema.Struct({
  sweeps: described(Schema.Array(FoundSweep), "Sweeps, newest first."),
  more: described(Schema.Boolean, "True if there are more than are listed."),
  batch: described(
    Schema.optionalKey(Schema.String),
    "Identifier of the batch, if the text is that of sweeps that their owner signed together."
  ),
  roles: described(Schema.Array(AddressRole), "Parts of an address in this deployment.")
}).annotate({ identifier: "FoundByOrchestrator" })
export type FoundByOrchestrator = typeof FoundByOrchestrator.Type

export const StoryPassage = Schema.Struct({
  status: described(IntentStatus, "Status that the intent reached."),
  atMs: described(Schema.Int, "UNIX time in milliseconds."),
  txHash: described(Schema.optionalKey(Hash), "Transaction that settled or delivered."),
  reason: described(Schema.optionalKey(Schema.String), "Reason of a failure, as a code."),
  detail: described(Schema.optionalKey(Schema.String), "Reason of a failure, as text.")
}).annotate({ identifier: "StoryPassage" })

export const StoryAttempt = Schema.Struct({
  hash: described(Hash, "Hash of this version."),
  maxFeePerGas: described(Uint256, "Maximum price of gas in wei."),
  maxPriorityFeePerGas: described(Uint256, "Maximum tip in wei."),
  signedAtMs: described(Schema.Int, "UNIX time in milliseconds of the signature."),
  broadcastAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds when a node last received it. Absent before the first broadcast."
  )
}).annotate({ identifier: "StoryAttempt" })

export const StoryTransaction = Schema.Struct({
  id: described(Schema.String, "Identifier of the transaction in the service."),
  chainId: described(ChainId, "Chain."),
  lane: described(Address.Address, "Account that sends."),
  nonce: described(Uint256, "Nonce of the lane."),
  kind: described(
    Schema.Literals(["sweep", "cancel"]),
    "`sweep` carries sweeps. `cancel` uses up a nonce whose sweeps must no longer run."
  ),
  status: described(
    Schema.Literals(["pending", "mined", "final"]),
    "`pending`: in no known block. `mined`: in a block that a reorganisation may remove. `final`: finished."
  ),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the nonce was allocated."),
  intents: described(Schema.Int, "Number of sweeps that it carried."),
  attempts: described(Schema.Array(StoryAttempt), "Signed versions, oldest first. Old ones are deleted for their age."),
  inclusion: described(
    Schema.optionalKey(
      Schema.Struct({
        hash: described(Hash, "Hash of the included version."),
        blockNumber: described(Uint256, "Number of the block."),
        blockHash: described(Hash, "Hash of the block.")
      })
    ),
    "Block that includes it. Absent while none does, or if another transaction used its nonce."
  ),
  cost: described(
    Schema.optionalKey(Uint256),
    "Cost in wei that the lane paid for all its sweeps. Absent until it is final."
  )
}).annotate({ identifier: "StoryTransaction" })

export const StoryMessage = Schema.Struct({
  id: described(Schema.String, "Identifier of the message. `POST /admin/outbox/:id/close` takes it."),
  key: described(Schema.String, "Kind of the message (`accrual`, `revenue`, `sweep`), colon, and id of its subject."),
  state: described(Schema.Literals(["pending", "delivered", "rejected"]), "State of the delivery."),
  attempts: described(Schema.Int, "Number of failed deliveries.")
}).annotate({ identifier: "StoryMessage" })

const Waiting = Schema.Struct({
  waitsFor: described(WaitsFor, "Cause of the wait, as a code."),
  explanation: described(Schema.String, "Cause of the wait, as text."),
  advice: described(
    Schema.NullOr(Schema.String),
    "Action that an operator can take. Null if there is nothing to do but wait."
  )
}).annotate({ identifier: "StoryWait" })

export const SweepStory = Schema.Struct({
  id: described(Schema.String, "Identifier of the intent."),
  status: described(IntentStatus, "Status of the intent."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds of the quote."),
  submittedAtMs: described(Schema.optionalKey(Schema.Int), "UNIX time in milliseconds of the submission."),
  updatedAtMs: described(Schema.Int, "UNIX time in milliseconds of the last change."),
  batchId: described(Schema.optionalKey(Schema.String), "Batch that its owner signed with other sweeps."),
  quote: described(Quote, "Terms of the quote."),
  order: described(SweepOrder, "Order that the owner signed."),
  orderDigest: described(Hash, "EIP-712 digest of the order."),
  payoutMode: described(Schema.optionalKey(Schema.Literals(["onchain", "ledger"])), "Payout mode of the builder."),
  userId: described(Schema.String, "Identifier of the user, as the caller gave it."),
  network: described(Schema.optionalKey(Schema.String), "Network of the client that submitted it."),
  rehearsal: described(
    Schema.Struct({
      atBlock: described(Uint256, "Latest block of the source chain at the quote."),
      gasLimit: described(Uint256, "Gas limit of the sweep: the gas of its simulation with a margin."),
      coveredGas: described(Schema.optionalKey(Uint256), "Gas that the network fee pays for."),
      coveredGasPrice: described(Schema.optionalKey(Uint256), "Price of gas in wei that the network fee covers.")
    }),
    "Simulation of the quote. A quote exists only if screening, token checks, prices, route and simulation passed."
  ),
  history: described(Schema.Array(StoryPassage), "Statuses that it reached, oldest first. Deleted for its age."),
  waiting: described(
    Schema.optionalKey(Waiting),
    "Cause for which it waits. Absent if it is not signed, or has ended."
  ),
  givenUp: described(
    Schema.optionalKey(
      Schema.Struct({
        reason: described(FailureReason, "Reason as a code."),
        detail: described(Schema.String, "Reason as text, such as the revert of the last simulation.")
      })
    ),
    "Check or simulation for which it is no longer sent."
  ),
  transactions: described(Schema.Array(StoryTransaction), "Transactions that carry or carried it, oldest first."),
  txHash: described(Schema.optionalKey(Hash), "Newest version of the source transaction, or the one that settled."),
  deliveryTxHash: described(Schema.optionalKey(Hash), "Transaction that delivered."),
  amountOut: described(Schema.optionalKey(Uint256), "Amount that arrived, in the smallest unit of tokenOut."),
  failureReason: described(Schema.optionalKey(FailureReason), "Reason of the failure, as a code."),
  failureDetail: described(Schema.optionalKey(Schema.String), "Reason of the failure, as text."),
  arrivedInstead: described(
    Schema.optionalKey(
      Schema.Struct({
        token: described(Address.Address, "Token on the destination chain."),
        amount: described(Uint256, "Amount in the smallest unit of the token.")
      })
    ),
    "Token that arrived instead of tokenOut."
  ),
  refund: described(
    Schema.optionalKey(
      Schema.Struct({
        token: described(Address.Address, "Token that was returned."),
        amount: described(Uint256, "Amount in the smallest unit of the token."),
        txHash: described(Hash, "Transaction of the payment, on the source chain.")
      })
    ),
    "Payment by which the bridge returned the deposit."
  ),
  messages: described(
    Schema.Array(StoryMessage),
    "Messages to the builder backend, oldest first. Delivered ones are deleted for their age."
  ),
  retryable: described(Schema.Boolean, "True if `retry` can help: it is submitted, and no transaction carries it.")
}).annotate({ identifier: "SweepStory" })
export type SweepStory = typeof SweepStory.Type
