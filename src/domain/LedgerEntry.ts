/**
 * The builders' ledger. Entries are added, never changed. An entry holds changes of a builder's earnings and payments,
 * so a balance is a sum over entries, and a correction is another entry.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Sum, Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import type { Hash } from "./Hex.ts"
import { described } from "./Described.ts"
import { UsdText } from "./Usd.ts"

/**
 * `accrual`: a sweep earned a builder fee; in on-chain mode, it is earned and paid at once. `reversal`: takes back one
 * accrual completely. `payment`: a payout batch paid what entries owed.
 */
export type EntryKind = "accrual" | "reversal" | "payment"

export interface LedgerEntry {
  readonly id: string
  readonly kind: EntryKind
  readonly builderId: string
  /** Absent while an accrual that was reported without a chain is assigned to none. */
  readonly chainId?: ChainId
  readonly token: Address.Address
  /** Change of the builder's earnings in the token's smallest unit. Negative in a reversal. */
  readonly earned: bigint
  /** Change of the builder's payments. Negative in the reversal of an accrual that its own sweep paid. */
  readonly paid: bigint
  /** Settlement of an accrual and of its reversal. */
  readonly sweepId?: string
  /** Transaction that paid. */
  readonly txHash?: Hash
  readonly createdAtMs: number
  /** Value of `earned` in US dollars at the settlement, scaled by 10^18. Absent without a price. */
  readonly usd?: bigint
}

/** Amount of one token on one chain. */
export interface TokenAmount {
  readonly chainId?: ChainId
  readonly token: Address.Address
  readonly amount: bigint
}

/** Sums of a builder's entries per token and chain, in the token's smallest unit. */
export interface LedgerTotals {
  /** Absent for accruals that are assigned to no chain. */
  readonly chainId?: ChainId
  readonly token: Address.Address
  /** Earnings minus reversals. */
  readonly earned: bigint
  readonly paid: bigint
  /** The part of what is owed that open payout batches claim. */
  readonly claimed: bigint
}

/** Earnings minus payments. Negative after the reversal of a paid accrual; the next payout is reduced by it. */
export const owed = (totals: LedgerTotals): bigint => totals.earned - totals.paid

/** Sums with the amounts that follow from them. */
export interface Position extends LedgerTotals {
  /** See {@link owed}. */
  readonly owed: bigint
  /** Owed, and claimed by no open batch. */
  readonly unclaimed: bigint
}

export const position = (totals: LedgerTotals): Position => ({
  ...totals,
  owed: owed(totals),
  unclaimed: owed(totals) - totals.claimed
})

const amounts = (
  totals: ReadonlyArray<LedgerTotals>,
  amount: (totals: LedgerTotals) => bigint
): ReadonlyArray<TokenAmount> =>
  totals.flatMap((line) => {
    const value = amount(line)
    return value > 0n
      ? [{ token: line.token, amount: value, ...(line.chainId === undefined ? {} : { chainId: line.chainId }) }]
      : []
  })

/** Amounts owed now per token and chain. Balances that are zero or negative are left out. */
export const balances = (totals: ReadonlyArray<LedgerTotals>): ReadonlyArray<TokenAmount> => amounts(totals, owed)

/** Earnings per token and chain. */
export const lifetime = (totals: ReadonlyArray<LedgerTotals>): ReadonlyArray<TokenAmount> =>
  amounts(totals, (line) => line.earned)

/** Payments per token and chain, without those of reversed accruals that their own sweeps paid. */
export const paid = (totals: ReadonlyArray<LedgerTotals>): ReadonlyArray<TokenAmount> =>
  amounts(totals, (line) => line.paid)

/** Balance on the wire (spec, "Accrual ledger"). `chainId` is an addition. */
export const Balance = Schema.Struct({
  token: described(Address.Address, "Token of the amount."),
  amount: described(Sum, "Amount in the smallest unit of the token."),
  chainId: described(Schema.optionalKey(ChainId), "Chain of the token. Absent if it was neither reported nor assigned.")
}).annotate({ identifier: "Balance" })

/** `owed`: earned and not paid. `reversed`: taken back, whether it was paid or not. */
export const EarningStatus = Schema.Literals(["owed", "paid", "reversed"]).annotate({ identifier: "EarningStatus" })
export type EarningStatus = typeof EarningStatus.Type

/** Accrual as its builder sees it (spec, "Accrual ledger"). The fields after `createdAtMs` are additions. */
export const Activity = Schema.Struct({
  sweepId: described(Schema.String, "Settlement that earned the amount."),
  token: described(Address.Address, "Token of the amount."),
  amount: described(Uint256, "Amount earned, in the smallest unit of the token."),
  paid: described(
    Schema.Boolean,
    "True if the amount was paid. False does not mean that it is owed: nothing is owed for an accrual that was `reversed`."
  ),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the accrual was booked."),
  chainId: described(
    Schema.optionalKey(ChainId),
    "Chain of the token. Absent if it was neither reported nor assigned."
  ),
  reversed: described(
    Schema.optionalKey(Schema.Literal(true)),
    "True if the accrual was reversed, so that it counts neither as earned nor as owed. Absent otherwise."
  ),
  intentId: described(
    Schema.optionalKey(Schema.String),
    "Intent of the sweep. Absent if the sweep was not reported, or if several of the transaction have the same markup."
  ),
  usd: described(
    Schema.optionalKey(UsdText),
    "Value of the amount in US dollars at the settlement. Absent if the price then is not known."
  )
}).annotate({ identifier: "Activity" })
export type Activity = typeof Activity.Type

export const statusOf = ({ paid, reversed }: Activity): EarningStatus =>
  reversed === true ? "reversed" : paid ? "paid" : "owed"
