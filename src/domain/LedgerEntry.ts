/**
 * The builders' ledger. Entries are only ever added. Each says by how much a builder's earnings and what it was paid
 * changed, so that every balance is a sum over entries and a correction is another entry.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Sum, Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import type { Hash } from "./Hex.ts"
import { described } from "./Described.ts"

/**
 * `accrual`: a sweep earned a builder fee; where the sweep paid it itself (on-chain mode), earned and paid at once.
 * `reversal`: takes back one accrual, in full. `payment`: a payout batch settled what entries had left owed.
 */
export type EntryKind = "accrual" | "reversal" | "payment"

export interface LedgerEntry {
  readonly id: string
  readonly kind: EntryKind
  readonly builderId: string
  /** Absent where the reporter did not say on which chain the sweep ran. */
  readonly chainId?: ChainId
  readonly token: Address.Address
  /** Change of what the builder earned, in the token's smallest unit; negative in a reversal. */
  readonly earned: bigint
  /** Change of what the builder was paid; negative in a reversal of an accrual that its own sweep paid. */
  readonly paid: bigint
  /** The settlement behind an accrual and its reversal. */
  readonly sweepId?: string
  /** The transaction that paid. */
  readonly txHash?: Hash
  readonly createdAtMs: number
}

/** What one token on one chain adds up to. */
export interface TokenAmount {
  readonly chainId?: ChainId
  readonly token: Address.Address
  readonly amount: bigint
}

/** Sums of a builder's entries per token and chain. */
export interface LedgerTotals {
  readonly chainId?: ChainId
  readonly token: Address.Address
  /** Everything earned, less what was taken back. */
  readonly earned: bigint
  readonly paid: bigint
}

/** Owed and not paid out. Negative after a paid accrual was taken back: the next payout is smaller by it. */
export const owed = (totals: LedgerTotals): bigint => totals.earned - totals.paid

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

/** What is owed now, per token and chain; tokens of which nothing is owed are left out. */
export const balances = (totals: ReadonlyArray<LedgerTotals>): ReadonlyArray<TokenAmount> => amounts(totals, owed)

/** What was ever earned, per token and chain. */
export const lifetime = (totals: ReadonlyArray<LedgerTotals>): ReadonlyArray<TokenAmount> =>
  amounts(totals, (line) => line.earned)

/** A balance as it travels (spec, "Accrual ledger"); `chainId` is an addition, present where the chain is known. */
export const Balance = Schema.Struct({
  token: described(Address.Address, "Token of the amount."),
  amount: described(Sum, "Amount in the smallest unit of the token."),
  chainId: described(Schema.optionalKey(ChainId), "Chain of the token. Absent if it was not reported.")
}).annotate({ identifier: "Balance" })

/** One accrual as its builder sees it (spec, "Accrual ledger"); the last two fields are additions. */
export const Activity = Schema.Struct({
  sweepId: described(Schema.String, "Settlement that earned the amount."),
  token: described(Address.Address, "Token of the amount."),
  amount: described(Uint256, "Amount earned, in the smallest unit of the token."),
  paid: described(Schema.Boolean, "True if the amount was paid."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the accrual was booked."),
  chainId: described(Schema.optionalKey(ChainId), "Chain of the token. Absent if it was not reported."),
  reversed: described(Schema.optionalKey(Schema.Literal(true)), "True if the accrual was reversed. Absent otherwise.")
}).annotate({ identifier: "Activity" })
export type Activity = typeof Activity.Type
