/** Messages of the orchestrator that are not already a concept of the domain. */
import { Schema, SchemaTransformation } from "effect"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { Authorization } from "../../domain/Delegation.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import { FailureReason, IntentStatus, WaitingFor } from "../../domain/Intent.ts"
import { Quote, QuoteId } from "../../domain/Quote.ts"
import * as QuoteDetails from "../../domain/QuoteDetails.ts"
import { SweepOrder } from "../../domain/SweepOrder.ts"
import { described } from "../../domain/Described.ts"

export const TypeMember = Schema.Struct({
  name: described(Schema.String, "Name of the field."),
  type: described(Schema.String, "EIP-712 type of the field.")
})

export const OrderTypedData = Schema.Struct({
  domain: described(
    Schema.Struct({
      name: described(Schema.String, "Name of the signing domain."),
      version: described(Schema.String, "Version of the signing domain."),
      chainId: described(ChainId, "Source chain."),
      verifyingContract: described(Address.Address, "The owner's account, which runs the delegate.")
    }),
    "EIP-712 domain."
  ),
  types: described(
    Schema.Struct({
      EIP712Domain: described(Schema.Array(TypeMember), "Fields of the domain."),
      SweepOrder: described(Schema.Array(TypeMember), "Fields of the order, in signing order.")
    }),
    "EIP-712 types."
  ),
  primaryType: described(Schema.Literal("SweepOrder"), "Type of the message."),
  message: described(SweepOrder, "The order.")
}).annotate({
  identifier: "OrderTypedData",
  description:
    "EIP-712 typed data of the order, as eth_signTypedData_v4 and `cast wallet sign --data` take it. ethers derives the " +
    "domain type itself: leave `EIP712Domain` out of `types` for its `signTypedData`."
})

export const AuthorizationRequest = Schema.Struct({
  address: described(Address.Address, "Delegate contract of the source chain."),
  chainId: described(ChainId, "Source chain."),
  nonce: described(Uint256, "Next transaction nonce of the owner's account.")
}).annotate({
  identifier: "AuthorizationRequest",
  description: "The EIP-7702 authorization to sign: the chain's delegate, and the account's next transaction nonce"
})

export const QuoteResponse = Schema.Struct({
  quote: described(Quote, "Terms of the quote."),
  order: described(SweepOrder, "Order to sign."),
  signing: described(
    Schema.Struct({
      typedData: described(OrderTypedData, "Typed data of the order."),
      authorization: described(AuthorizationRequest, "Authorization to sign.")
    }),
    "Everything to sign, so that a client needs no node of its own. An addition to the specification."
  )
}).annotate({ identifier: "QuoteResponse" })

export const IntentSubmission = Schema.Struct({
  quoteId: described(QuoteId, "Identifier of the quote."),
  signature: described(Hex, "EIP-712 signature of the order by its owner."),
  authorization: described(Authorization, "EIP-7702 authorization, signed by the owner.")
}).annotate({ identifier: "IntentSubmission", description: "Signatures of the owner" })

export const IntentAccepted = Schema.Struct({
  id: described(QuoteId, "Identifier of the intent, equal to that of the quote."),
  status: described(IntentStatus, "Status of the intent, usually submitted."),
  txHash: described(Schema.optionalKey(Hash), "Source transaction. Absent before broadcast."),
  waitingFor: described(
    Schema.optionalKey(WaitingFor),
    "Cause for which the sweep waits before it is sent, as in the intent. An addition to the specification."
  )
}).annotate({ identifier: "IntentAccepted" })

export const RefundView = Schema.Struct({
  token: described(Address.Address, "Token that was returned: the deposited one, on the source chain."),
  amount: described(Uint256, "Amount in the smallest unit of the token."),
  txHash: described(Hash, "Transaction of the payment, on the source chain.")
}).annotate({ identifier: "Refund", description: "Payment by which a bridge returned a deposit that nobody filled" })

const ArrivedView = Schema.Struct({
  token: described(Address.Address, "Token on the destination chain."),
  amount: described(Uint256, "Amount in the smallest unit of the token.")
}).annotate({ identifier: "ArrivedInstead" })

export const IntentView = Schema.Struct({
  id: described(QuoteId, "Identifier of the intent, equal to that of the quote."),
  status: described(IntentStatus, "Status of the intent. `delivered` and `failed` are final."),
  txHash: described(Schema.optionalKey(Hash), "Source transaction. Absent before broadcast."),
  crossChain: described(Schema.Boolean, "True if the destination chain differs from the source chain."),
  failureReason: described(
    Schema.optionalKey(FailureReason),
    "Reason of the failure. Present if the status is failed. An addition to the specification."
  ),
  pendingFailureReason: described(
    Schema.optionalKey(FailureReason),
    "Reason for which a submitted sweep is no longer sent. It fails with this reason once the chain proves that it cannot settle any more, at the latest after the order's deadline. An addition to the specification."
  ),
  waitingFor: described(
    Schema.optionalKey(WaitingFor),
    "Cause for which a submitted sweep waits before it is sent. `gas_price`: gas costs more than the sweep's network fee covers. It is sent when the price has fallen, or fails with `network_fee_insufficient` after the order's deadline. Absent if there is no such cause. An addition to the specification."
  ),
  deliveryTxHash: described(
    Schema.optionalKey(Hash),
    "Transaction that delivered on the destination chain. After a bridge, it may follow the status by minutes if the chain's node limits logs. An addition to the specification."
  ),
  amountOut: described(
    Schema.optionalKey(Uint256),
    "Amount that arrived, in the smallest unit of tokenOut. Absent until it is known: after a bridge, as deliveryTxHash. An addition to the specification."
  ),
  arrivedInstead: described(
    Schema.optionalKey(ArrivedView),
    "Token that arrived instead of tokenOut, since the swap on arrival failed. Absent if tokenOut arrived, or while it is not known. An addition to the specification."
  ),
  refund: described(
    Schema.optionalKey(RefundView),
    "Payment by which the bridge returned the deposit to the owner, if the failure is `bridge_refunded`. Across pays within hours after the failure, and Relay before it: its failure is this payment. Absent until the payment is found on the source chain. An addition to the specification."
  ),
  sourceChainId: described(Schema.optionalKey(ChainId), "Source chain. An addition to the specification."),
  minAmountOut: described(
    Schema.optionalKey(Uint256),
    "Minimum amount that the destination receives, as in the quote. An addition to the specification."
  ),
  estimatedAmountOut: described(
    Schema.optionalKey(Uint256),
    "Amount that the route was expected to deliver, as in the quote. An addition to the specification."
  ),
  ...QuoteDetails.fields
}).annotate({ identifier: "Intent" })

/** A chain id in a query string. */
export const ChainIdText = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,14}$/, { message: "expected a positive integer chain id" })
).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String })),
  Schema.annotate({ description: "EIP-155 chain id" })
)

const Count = Schema.Int

/** Result of one pass of the watcher. */
export const TickReport = Schema.Struct({
  transactions: described(Count, "Number of transactions that the pass looked at."),
  rebroadcast: described(Count, "Number of transactions broadcast again."),
  replaced: described(Count, "Number of transactions replaced with higher fees."),
  settledSource: described(Count, "Number of intents that settled at their source."),
  delivered: described(Count, "Number of intents that were delivered."),
  failed: described(Count, "Number of intents that failed."),
  outboxDelivered: described(Count, "Number of messages delivered to the builder backend."),
  unavailableChains: described(Schema.Array(ChainId), "Chains whose nodes did not answer.")
}).annotate({ identifier: "TickReport" })

export const ClosedMessage = Schema.Struct({
  id: described(Schema.String, "Identifier of the message."),
  outcome: described(Schema.Literal("closed"), "Always `closed`.")
}).annotate({ identifier: "ClosedMessage" })

export const ClosedAlert = Schema.Struct({
  id: described(Schema.String, "Identifier of the alert."),
  outcome: described(Schema.Literal("closed"), "Always `closed`.")
}).annotate({ identifier: "ClosedAlert" })

export const Liveness = Schema.Struct({ ok: described(Schema.Literal(true), "Always true.") }).annotate({
  identifier: "Liveness"
})
