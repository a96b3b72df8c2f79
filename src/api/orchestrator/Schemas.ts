/** Messages of the orchestrator that are not already a concept of the domain. */
import { Schema, SchemaTransformation } from "effect"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { Authorization } from "../../domain/Delegation.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import { FailureReason, IntentStatus } from "../../domain/Intent.ts"
import { Quote, QuoteId } from "../../domain/Quote.ts"
import { SweepOrder } from "../../domain/SweepOrder.ts"

const TypeMember = Schema.Struct({ name: Schema.String, type: Schema.String })

export const OrderTypedData = Schema.Struct({
  domain: Schema.Struct({
    name: Schema.String,
    version: Schema.String,
    chainId: ChainId,
    verifyingContract: Address.Address
  }),
  types: Schema.Struct({
    EIP712Domain: Schema.Array(TypeMember),
    SweepOrder: Schema.Array(TypeMember)
  }),
  primaryType: Schema.Literal("SweepOrder"),
  message: SweepOrder
}).annotate({
  identifier: "OrderTypedData",
  description:
    "EIP-712 typed data of the order, as eth_signTypedData_v4 and `cast wallet sign --data` take it. ethers derives the " +
    "domain type itself: leave `EIP712Domain` out of `types` for its `signTypedData`."
})

/** What the owner's EIP-7702 authorization must say. */
export const AuthorizationRequest = Schema.Struct({
  address: Address.Address,
  chainId: ChainId,
  nonce: Uint256
}).annotate({
  identifier: "AuthorizationRequest",
  description: "The EIP-7702 authorization to sign: the chain's delegate, and the account's next transaction nonce"
})

export const QuoteResponse = Schema.Struct({
  quote: Quote,
  order: SweepOrder,
  /** An addition to the spec: everything to sign, so that a client needs no node of its own. */
  signing: Schema.Struct({ typedData: OrderTypedData, authorization: AuthorizationRequest })
}).annotate({ identifier: "QuoteResponse" })

export const IntentSubmission = Schema.Struct({
  quoteId: QuoteId,
  signature: Hex,
  authorization: Authorization
}).annotate({ identifier: "IntentSubmission", description: "What the owner signed" })

export const IntentAccepted = Schema.Struct({
  id: QuoteId,
  status: IntentStatus,
  txHash: Schema.optionalKey(Hash)
}).annotate({ identifier: "IntentAccepted" })

export const IntentView = Schema.Struct({
  id: QuoteId,
  status: IntentStatus,
  /** The source transaction; absent before broadcast. */
  txHash: Schema.optionalKey(Hash),
  crossChain: Schema.Boolean,
  /** Additions to the spec: why it failed, and the transaction that delivered on the destination chain. */
  failureReason: Schema.optionalKey(FailureReason),
  deliveryTxHash: Schema.optionalKey(Hash)
}).annotate({ identifier: "Intent" })

/** A chain id as queries carry it. */
export const ChainIdText = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,14}$/, { message: "expected a positive integer chain id" })
).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String })),
  Schema.annotate({ description: "EIP-155 chain id" })
)

const Count = Schema.Int

/** What one pass of the watcher moved. */
export const TickReport = Schema.Struct({
  transactions: Count,
  rebroadcast: Count,
  replaced: Count,
  settledSource: Count,
  delivered: Count,
  failed: Count,
  outboxDelivered: Count,
  unavailableChains: Schema.Array(ChainId)
}).annotate({ identifier: "TickReport" })

export const Liveness = Schema.Struct({ ok: Schema.Literal(true) }).annotate({ identifier: "Liveness" })
