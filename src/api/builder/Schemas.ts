/** Messages of machines and operators that are not already a concept of the domain. */
import { Schema } from "effect"
import { Accrual, Revenue } from "../../domain/Accrual.ts"
import * as Address from "../../domain/Address.ts"
import { Sum, Uint256 } from "../../domain/Amount.ts"
import { BuilderAccount, BuilderId, DisplayName, Markup, PayoutMode } from "../../domain/Builder.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { AlertView } from "../../domain/Health.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import { Balance } from "../../domain/LedgerEntry.ts"
import { PayoutBatch } from "../../domain/Payout.ts"
import { ApiKeyView, cursor, Millis } from "./AccountSchemas.ts"
import { described } from "../../domain/Described.ts"
import * as LimitedArray from "../../domain/LimitedArray.ts"
import { optional } from "../../domain/Optional.ts"

export const BuilderBalances = Schema.Struct({
  builderId: described(Schema.String, "Identifier of the builder."),
  balances: described(Schema.Array(Balance), "Amounts owed and not paid out, one for each token and chain.")
}).annotate({
  identifier: "BuilderBalances"
})

export const RegistrationRequest = Schema.Struct({
  id: described(BuilderId, "Identifier of the builder. It never changes."),
  name: described(DisplayName, "Display name."),
  builderBps: described(Markup, "Markup in basis points."),
  maxBuilderBps: described(Markup, "Cap of the markup in basis points."),
  payoutAddress: described(Address.NonZeroAddress, "Wallet that signs in and is paid."),
  payoutMode: described(
    optional(PayoutMode),
    "Payout mode: the way in which the markup reaches the builder. Default: onchain."
  )
}).annotate({ identifier: "Registration" })

/** Identifier of a settlement, as keys, URLs and logs show it. */
const SweepId = Schema.String.check(
  Schema.isPattern(/^[^\p{C}\p{Z}]{1,256}$/u, { message: "expected 1 to 256 visible characters" })
)

export const AccrualRequest = Schema.Struct({
  ...Accrual.fields,
  builderId: described(Schema.NonEmptyString, "Builder that earned the amount."),
  sweepId: described(
    SweepId,
    "Settlement: transaction hash, underscore, and position of the event among the logs of the transaction. Idempotency key."
  )
}).annotate({ identifier: "AccrualRequest" })

export const RevenueRequest = Schema.Struct({
  ...Revenue.fields,
  sweepId: described(
    SweepId,
    "Settlement: transaction hash, underscore, and position of the event among the logs of the transaction. Idempotency key."
  ),
  settledAtMs: described(Millis, "UNIX time in milliseconds of the settlement.")
}).annotate({ identifier: "RevenueRequest" })

/** Revenue of several settlements, which saves a busy orchestrator as many requests. */
export const RevenuesRequest = Schema.Struct({
  entries: described(
    Schema.Array(RevenueRequest).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(100),
      Schema.makeFilter(
        (entries: ReadonlyArray<typeof RevenueRequest.Type>) =>
          new Set(entries.map(({ sweepId }) => sweepId)).size === entries.length || "expected one entry for each sweep"
      )
    ),
    "1 to 100 entries, one for each sweep."
  )
}).annotate({ identifier: "RevenuesRequest" })

export const RevenuesBooked = Schema.Struct({
  ok: described(Schema.Literal(true), "Always true."),
  booked: described(Schema.Array(SweepId), "Settlements that are booked with the given content.")
}).annotate({
  identifier: "RevenuesBooked",
  description: "Entries that are booked as given. Each missing one conflicts with an earlier booking"
})

export const period = {
  fromMs: described(
    Schema.optionalKey(Millis),
    "Start of the period, UNIX time in milliseconds. Default: start of the UTC day 30 days ago."
  ),
  toMs: described(
    Schema.optionalKey(Millis),
    "End of the period, exclusive, UNIX time in milliseconds. Default: tomorrow."
  )
}

export const BuildersPage = Schema.Struct({
  builders: described(Schema.Array(BuilderAccount), "Builders in the order of their ids."),
  nextCursor: cursor
}).annotate({
  identifier: "BuildersPage"
})

export const BuilderDetail = Schema.Struct({
  builder: described(BuilderAccount, "Account of the builder."),
  apiKey: described(Schema.optionalKey(ApiKeyView), "Default API key. Absent if it was revoked.")
}).annotate({ identifier: "BuilderDetail" })

export const PatchRequest = Schema.Struct({
  name: described(Schema.optionalKey(DisplayName), "Display name."),
  builderBps: described(Schema.optionalKey(Markup), "Markup in basis points."),
  maxBuilderBps: described(Schema.optionalKey(Markup), "Cap of the markup in basis points."),
  payoutMode: described(
    Schema.optionalKey(PayoutMode),
    "Payout mode: the way in which the markup reaches the builder."
  ),
  suspended: described(Schema.optionalKey(Schema.Boolean), "True to suspend the API key, false to resume it."),
  walletChainId: described(
    Schema.optionalKey(Schema.NullOr(ChainId)),
    "Chain on which the builder's contract wallet signs in. Null to take that of its next sign-in."
  )
}).annotate({ identifier: "BuilderPatch", description: "Absent fields are not changed" })

/** Sums of the ledger in one token. */
const sums = {
  chainId: described(
    Schema.optionalKey(ChainId),
    "Chain of the token. Absent for accruals that were reported without a chain and are not assigned to one. No payout includes these."
  ),
  token: described(Address.Address, "Token of the sums."),
  earned: described(Sum, "Amount earned, in the smallest unit of the token."),
  paid: described(Sum, "Amount paid, in the smallest unit of the token."),
  owed: described(Sum, "Amount earned and not paid, in the smallest unit of the token."),
  claimed: described(Sum, "Part of `owed` that open payout batches claim, in the smallest unit of the token."),
  unclaimed: described(
    Sum,
    "`owed` minus `claimed`: the amount for the next payout batch, in the smallest unit of the token."
  )
}

export const TotalsView = Schema.Struct({
  builderId: described(Schema.String, "Identifier of the builder."),
  totals: described(Schema.Array(Schema.Struct(sums)), "Totals per token and chain.")
}).annotate({ identifier: "BuilderTotals" })

export const LedgerEntryView = Schema.Struct({
  id: described(Schema.String, "Identifier of the entry."),
  kind: described(Schema.Literals(["accrual", "reversal", "payment"]), "Kind of the entry."),
  builderId: described(Schema.String, "Builder of the entry."),
  chainId: sums.chainId,
  token: described(Address.Address, "Token of the entry."),
  earned: described(Sum, "Change of the amount earned, in the smallest unit of the token."),
  paid: described(Sum, "Change of the amount paid, in the smallest unit of the token."),
  sweepId: described(Schema.optionalKey(Schema.String), "Settlement of an accrual or a reversal."),
  txHash: described(Schema.optionalKey(Hash), "Transaction of a payment."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the entry was booked.")
}).annotate({ identifier: "LedgerEntry" })

export const EntriesPage = Schema.Struct({
  entries: described(Schema.Array(LedgerEntryView), "Entries, oldest first."),
  nextCursor: cursor
}).annotate({ identifier: "LedgerPage" })

/** Reason of an operator's action. */
const Reason = Schema.String.check(
  Schema.isPattern(/^(?=[\s\S]*\S)[\s\S]{1,500}$/u, { message: "expected 1 to 500 characters" })
)

export const ReversalRequest = Schema.Struct({
  sweepId: described(SweepId, "Settlement whose accrual is reversed."),
  reason: described(Reason, "Reason for the audit log.")
}).annotate({
  identifier: "ReversalRequest"
})

export const AssignmentRequest = Schema.Struct({
  token: described(Address.NonZeroAddress, "Token of the accruals."),
  chainId: described(ChainId, "Chain to which they are assigned.")
}).annotate({ identifier: "AssignmentRequest" })

export const Assignment = Schema.Struct({
  sweeps: described(Schema.Int, "Number of accruals that were assigned now. 0 if all had a chain."),
  amount: described(Sum, "Amount owed for them, in the smallest unit of the token."),
  more: described(
    Schema.optionalKey(Schema.Literal(true)),
    "True if accruals of the token are left without a chain: repeat the request. Absent otherwise."
  )
}).annotate({ identifier: "Assignment" })

export const Booking = Schema.Struct({
  booked: described(
    Schema.Literals(["added", "already_booked"]),
    "`already_booked` if an earlier request had booked it."
  )
}).annotate({
  identifier: "Booking"
})

export const PayoutRequest = Schema.Struct({
  chainId: described(ChainId, "Chain on which the batch is paid."),
  token: described(Address.NonZeroAddress, "Token in which the batch is paid."),
  minAmount: described(Schema.optionalKey(Uint256), "Builders who are owed less are left out. Default: 0."),
  exclude: described(
    Schema.optionalKey(
      LimitedArray.lengthFirst(
        Schema.Array(Schema.String.check(Schema.isMaxLength(128))).check(Schema.isMaxLength(1_000))
      )
    ),
    "Ids of builders that are left out. Default: none."
  )
}).annotate({ identifier: "PayoutRequest" })

export const PayoutsPage = Schema.Struct({
  payouts: described(Schema.Array(PayoutBatch), "Batches, newest first."),
  nextCursor: cursor
}).annotate({
  identifier: "PayoutsPage"
})

export const PaymentRequest = Schema.Struct({
  txHash: described(Hash, "Transaction that paid every line of the batch.")
}).annotate({ identifier: "PaymentRequest" })

export const SignedPaymentRequest = Schema.Struct({
  raw: described(Hex, "Signed transaction."),
  known: described(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    "Number of payments of the batch that the caller knows. The request is refused if there are others."
  )
}).annotate({ identifier: "SignedPaymentRequest" })

export const FailureRequest = Schema.Struct({ reason: described(Reason, "Reason for the audit log.") }).annotate({
  identifier: "FailureRequest"
})

export const RevenueView = Schema.Struct({
  days: described(
    Schema.Array(
      Schema.Struct({
        day: described(Schema.String, "UTC day, YYYY-MM-DD."),
        chainId: described(ChainId, "Chain of the settlements."),
        token: described(Address.Address, "Token of the fees."),
        amount: described(Sum, "Sum of the protocol fees, in the smallest unit of the token."),
        sweeps: described(Schema.Int, "Number of settlements.")
      })
    ),
    "Revenue per day, chain and token."
  )
}).annotate({ identifier: "RevenueByDay" })

export const TreasuryView = Schema.Struct({
  positions: described(
    Schema.Array(
      Schema.Struct({
        ...sums,
        vaultBalance: described(
          Schema.optionalKey(Sum),
          "Balance of the vault, in the smallest unit of the token. Absent if it could not be read."
        )
      })
    ),
    "Liabilities to builders per token and chain."
  )
}).annotate({ identifier: "Treasury" })

export const AuditPage = Schema.Struct({
  records: described(
    Schema.Array(
      Schema.Struct({
        id: described(Schema.String, "Identifier of the record."),
        atMs: described(Schema.Int, "UNIX time in milliseconds of the change."),
        actor: described(Schema.String, "Operator or builder who made the change."),
        action: described(Schema.String, "Kind of the change, as a code."),
        subject: described(Schema.String, "Identifier of the changed object."),
        details: described(
          Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
          "Values of the change."
        )
      }).annotate({ identifier: "AuditRecord" })
    ),
    "Records, newest first."
  ),
  nextCursor: cursor
}).annotate({ identifier: "AuditPage" })

export const StandingAlert = Schema.Struct({
  ...AlertView.fields,
  key: described(Schema.String, "Cause of the alert. Clears the alert with `POST /admin/alerts/clear`.")
}).annotate({ identifier: "StandingAlert" })

export const ClearAlertRequest = Schema.Struct({
  key: described(Schema.String, "Key of the alert.")
}).annotate({ identifier: "ClearAlertRequest" })
