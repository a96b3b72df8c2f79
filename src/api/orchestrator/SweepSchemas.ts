/** Messages about sweeps of many tokens under one signature. An addition to the specification. */
import { Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { described } from "../../domain/Described.ts"
import { Quote } from "../../domain/Quote.ts"
import { QuoteReason } from "../../domain/QuoteReason.ts"
import { SweepOrder } from "../../domain/SweepOrder.ts"
import { SweepTotals } from "../../domain/SweepTotals.ts"
import { AuthorizationRequest, TypeMember } from "./Schemas.ts"

const TypedLeg = Schema.Struct({
  chainId: described(Uint256, "Source chain of the order."),
  order: described(SweepOrder, "The order.")
}).annotate({ identifier: "SweepBatchLeg" })

export const BatchTypedData = Schema.Struct({
  domain: described(
    Schema.Struct({
      name: described(Schema.String, "Name of the signing domain."),
      version: described(Schema.String, "Version of the signing domain."),
      verifyingContract: described(Address.Address, "The owner's account, which runs the delegate on each chain.")
    }),
    "EIP-712 domain. It has no chain, because each leg names its own (ERC-7964)."
  ),
  types: described(
    Schema.Struct({
      EIP712Domain: described(Schema.Array(TypeMember), "Fields of the domain."),
      SweepBatch: described(Schema.Array(TypeMember), "Fields of the batch."),
      SweepLeg: described(Schema.Array(TypeMember), "Fields of a leg."),
      SweepOrder: described(Schema.Array(TypeMember), "Fields of the order, in signing order.")
    }),
    "EIP-712 types."
  ),
  primaryType: described(Schema.Literal("SweepBatch"), "Type of the message."),
  message: described(
    Schema.Struct({ legs: described(Schema.Array(TypedLeg), "All orders, in the order of the quotes.") }),
    "The batch. Leave out legs that the owner does not want before it is signed."
  )
}).annotate({
  identifier: "SweepBatchTypedData",
  description: "EIP-712 typed data of all orders, as eth_signTypedData_v4 takes it"
})

const OfferedEntry = Schema.Struct({
  quote: described(Quote, "Terms of the quote."),
  order: described(SweepOrder, "Order to sign, as a leg of the batch.")
}).annotate({ identifier: "SweepQuote" })

const RefusedEntry = Schema.Struct({
  chainId: described(ChainId, "Source chain, as requested."),
  token: described(Address.Address, "Token, as requested."),
  reason: described(QuoteReason, "Reason for which there is no quote.")
}).annotate({ identifier: "SweepQuoteRefused" })

export const SweepQuotesResponse = Schema.Struct({
  id: described(Schema.String, "Identifier of this response, for support."),
  expiresAtMs: described(Schema.Int, "UNIX time in milliseconds after which the quotes are rejected."),
  quotes: described(
    Schema.Array(Schema.Union([OfferedEntry, RefusedEntry])),
    "One entry for each token, in the order of the request."
  ),
  signing: described(
    Schema.optionalKey(
      Schema.Struct({
        typedData: described(BatchTypedData, "Typed data of all orders, for one signature."),
        authorizations: described(
          Schema.Array(AuthorizationRequest),
          "Authorizations to sign: one for each chain where the account does not run the delegate."
        )
      })
    ),
    "Everything to sign. Absent if no token can be quoted."
  ),
  totals: described(SweepTotals, "Totals of all quotes.")
}).annotate({ identifier: "SweepQuotesResponse" })
