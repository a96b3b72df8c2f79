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

export const BuilderBalances = Schema.Struct({ builderId: Schema.String, balances: Schema.Array(Balance) }).annotate({
  identifier: "BuilderBalances"
})

export const RegistrationRequest = Schema.Struct({
  id: BuilderId,
  name: DisplayName,
  builderBps: Markup,
  maxBuilderBps: Markup,
  payoutAddress: Address.NonZeroAddress,
  payoutMode: Schema.optionalKey(PayoutMode)
}).annotate({ identifier: "Registration" })

/** Names a sweep in keys, urls and logs. */
const SweepId = Schema.String.check(
  Schema.isPattern(/^[^\p{C}\p{Z}]{1,256}$/u, { message: "expected 1 to 256 visible characters" })
)

export const AccrualRequest = Schema.Struct({
  ...Accrual.fields,
  builderId: Schema.NonEmptyString,
  sweepId: SweepId
}).annotate({ identifier: "AccrualRequest" })

export const RevenueRequest = Schema.Struct({
  ...Revenue.fields,
  sweepId: SweepId,
  settledAtMs: Millis
}).annotate({ identifier: "RevenueRequest" })

/** Income of settlements that came together: what a busy orchestrator would otherwise say in as many requests. */
export const RevenuesRequest = Schema.Struct({
  entries: Schema.Array(RevenueRequest).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(100),
    Schema.makeFilter(
      (entries: ReadonlyArray<typeof RevenueRequest.Type>) =>
        new Set(entries.map(({ sweepId }) => sweepId)).size === entries.length || "expected one entry for each sweep"
    )
  )
}).annotate({ identifier: "RevenuesRequest" })

export const RevenuesBooked = Schema.Struct({
  ok: Schema.Literal(true),
  booked: Schema.Array(SweepId)
}).annotate({
  identifier: "RevenuesBooked",
  description: "Which entries are booked as they were given; each of the others conflicts with what is booked"
})

export const period = { fromMs: Schema.optionalKey(Millis), toMs: Schema.optionalKey(Millis) }

export const BuildersPage = Schema.Struct({ builders: Schema.Array(BuilderAccount), nextCursor: cursor }).annotate({
  identifier: "BuildersPage"
})

export const BuilderDetail = Schema.Struct({
  builder: BuilderAccount,
  apiKey: Schema.optionalKey(ApiKeyView)
}).annotate({ identifier: "BuilderDetail" })

export const PatchRequest = Schema.Struct({
  name: Schema.optionalKey(DisplayName),
  builderBps: Schema.optionalKey(Markup),
  maxBuilderBps: Schema.optionalKey(Markup),
  payoutMode: Schema.optionalKey(PayoutMode),
  suspended: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "BuilderPatch", description: "What is absent stays as it is" })

export const TotalsView = Schema.Struct({
  builderId: Schema.String,
  totals: Schema.Array(
    Schema.Struct({ chainId: Schema.optionalKey(ChainId), token: Address.Address, earned: Sum, paid: Sum, owed: Sum })
  )
}).annotate({ identifier: "BuilderTotals" })

export const EntriesPage = Schema.Struct({
  entries: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.Literals(["accrual", "reversal", "payment"]),
      builderId: Schema.String,
      chainId: Schema.optionalKey(ChainId),
      token: Address.Address,
      earned: Sum,
      paid: Sum,
      sweepId: Schema.optionalKey(Schema.String),
      txHash: Schema.optionalKey(Hash),
      createdAtMs: Schema.Int
    }).annotate({ identifier: "LedgerEntry" })
  ),
  nextCursor: cursor
}).annotate({ identifier: "LedgerPage" })

/** Why an operator did something that is not obvious from what they did. */
const Reason = Schema.String.check(
  Schema.isPattern(/^(?=[\s\S]*\S)[\s\S]{1,500}$/u, { message: "expected 1 to 500 characters" })
)

export const ReversalRequest = Schema.Struct({ sweepId: SweepId, reason: Reason }).annotate({
  identifier: "ReversalRequest"
})

export const Booking = Schema.Struct({ booked: Schema.Literals(["added", "already_booked"]) }).annotate({
  identifier: "Booking"
})

export const PayoutRequest = Schema.Struct({
  chainId: ChainId,
  token: Address.NonZeroAddress,
  minAmount: Schema.optionalKey(Uint256)
}).annotate({ identifier: "PayoutRequest", description: "Builders who are owed less than minAmount are left out" })

export const PayoutsPage = Schema.Struct({ payouts: Schema.Array(PayoutBatch), nextCursor: cursor }).annotate({
  identifier: "PayoutsPage"
})

export const PaymentRequest = Schema.Struct({ txHash: Hash }).annotate({ identifier: "PaymentRequest" })

export const SignedPaymentRequest = Schema.Struct({
  raw: Hex.annotate({ description: "the signed transaction" }),
  known: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "how many payments of the batch are recorded already"
  })
}).annotate({ identifier: "SignedPaymentRequest" })

export const FailureRequest = Schema.Struct({ reason: Reason }).annotate({ identifier: "FailureRequest" })

export const RevenueView = Schema.Struct({
  days: Schema.Array(
    Schema.Struct({ day: Schema.String, chainId: ChainId, token: Address.Address, amount: Sum, sweeps: Schema.Int })
  )
}).annotate({ identifier: "RevenueByDay" })

export const TreasuryView = Schema.Struct({
  positions: Schema.Array(
    Schema.Struct({
      chainId: Schema.optionalKey(ChainId),
      token: Address.Address,
      earned: Sum,
      paid: Sum,
      owed: Sum,
      vaultBalance: Schema.optionalKey(Sum)
    })
  )
}).annotate({ identifier: "Treasury" })

export const AuditPage = Schema.Struct({
  records: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      atMs: Schema.Int,
      actor: Schema.String,
      action: Schema.String,
      subject: Schema.String,
      details: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
    }).annotate({ identifier: "AuditRecord" })
  ),
  nextCursor: cursor
}).annotate({ identifier: "AuditPage" })

export const StandingAlert = Schema.Struct({
  ...AlertView.fields,
  key: Schema.String.annotate({ description: "names the cause; an alert is cleared by it" })
}).annotate({ identifier: "StandingAlert" })

export const ClearAlertRequest = Schema.Struct({ key: Schema.String }).annotate({ identifier: "ClearAlertRequest" })
