/** Fees that the fee recipient holds in tokens: their books, and their sales. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Sum, Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { Hash } from "./Hex.ts"

/**
 * `planned`: recorded, and nothing is signed. `offered`: an intent is chosen, and its order may be signed and submitted. `settled`: the
 * chain proves the sale. `failed`: the chain proves that the intent cannot settle, or none could be made. Only the last two are final.
 */
export const SaleState = Schema.Literals(["planned", "offered", "settled", "failed"]).annotate({
  identifier: "SaleState"
})
export type SaleState = typeof SaleState.Type

/** Reason why a token could not be sold, as a code. */
export const UnsellableReason = Schema.Literals([
  /** No price is known, so no minimum could be set. */
  "no_price",
  /** No exchange swaps the token into the asset. */
  "no_route",
  /** The token is refused, or its transfer fails. */
  "token_declined",
  /** The sale would deliver less than the prices promise, less the tolerance. */
  "price_impact",
  /** The fees of the sweep, which the fee recipient pays to itself, leave nothing to sell. */
  "fees_exceed_input",
  /** Screening lists the fee recipient. */
  "screening_blocked",
  /** The order would revert, or its intent failed. */
  "sale_failed"
]).annotate({ identifier: "UnsellableReason" })
export type UnsellableReason = typeof UnsellableReason.Type

/** Failed attempts to sell a token since its last sale. */
export interface SaleFailure {
  readonly chainId: ChainId
  readonly token: Address.Address
  /** At least 1. */
  readonly failures: number
  readonly reason: UnsellableReason
  /** Human-readable. */
  readonly detail: string
  /** UNIX milliseconds of the last attempt. */
  readonly failedAtMs: number
}

/** A sale of one lot to be recorded. */
export interface NewSale {
  readonly chainId: ChainId
  /** Fee recipient: owner and destination of the sweep. */
  readonly seller: Address.Address
  readonly token: Address.Address
  readonly asset: Address.Address
  /** Amount that leaves for the sweep, its fee included, in the smallest unit of `token`. */
  readonly amount: bigint
  /** Amount that later lots sell, in the smallest unit of `token`. */
  readonly rest: bigint
}

export const Sale = Schema.Struct({
  id: described(Schema.String, "Identifier of the sale."),
  chainId: described(ChainId, "Chain of the sale."),
  seller: described(Address.Address, "Fee recipient, which sells."),
  token: described(Address.Address, "Token that is sold."),
  asset: described(Address.Address, "Token that arrives."),
  amount: described(Uint256, "Amount of the sweep, its fee included, in the smallest unit of the token."),
  rest: described(Uint256, "Amount that later lots sell, in the smallest unit of the token."),
  state: described(
    SaleState,
    "`planned`: recorded, nothing is signed. `offered`: its sweep can be submitted or is under way. `settled` and `failed` are final."
  ),
  openedAtMs: described(Schema.Int, "UNIX time in milliseconds when the sale was planned."),
  updatedAtMs: described(Schema.Int, "UNIX time in milliseconds when the sale reached its state."),
  intentId: described(Schema.optionalKey(Schema.String), "Intent of the sweep. Absent before it was quoted."),
  feeAmount: described(
    Schema.optionalKey(Uint256),
    "Fee of the sweep, which returns to the fee recipient, in the smallest unit of the token."
  ),
  amountOut: described(Schema.optionalKey(Uint256), "Amount that arrived, in the smallest unit of the asset."),
  txHash: described(Schema.optionalKey(Hash), "Transaction that settled the sale."),
  reason: described(Schema.optionalKey(UnsellableReason), "Reason of the failure, as a code."),
  detail: described(Schema.optionalKey(Schema.String), "Reason of the failure, as text.")
}).annotate({ identifier: "Sale" })
export type Sale = typeof Sale.Type

/** A stored sale. `version` counts its changes, so that of two processes that change it only one succeeds. */
export interface StoredSale extends Sale {
  readonly version: number
}

export const isOpen = ({ state }: Pick<Sale, "state">): boolean => state === "planned" || state === "offered"

/**
 * State of a token's holding. `sell`: the next round sells it. `selling`: a sale is under way. `asset`: the chain's asset, which is kept.
 * `no_asset`: the chain has no asset. `shared_vault`: the account holds the builders' fees, too. `small`: worth less than the minimum. `unsellable`: the last attempts failed. `empty`: nothing is
 * held. `unknown`: the balance or the prices could not be read.
 */
export const HoldingState = Schema.Literals([
  "sell",
  "selling",
  "asset",
  "no_asset",
  "shared_vault",
  "small",
  "unsellable",
  "empty",
  "unknown"
]).annotate({ identifier: "HoldingState" })
export type HoldingState = typeof HoldingState.Type

/** Amount of an asset that sales of a token brought in. */
export const Proceeds = Schema.Struct({
  token: described(Address.Address, "Token that arrived."),
  amount: described(Sum, "Amount that arrived, in the smallest unit of that token.")
}).annotate({ identifier: "Proceeds" })
export type Proceeds = typeof Proceeds.Type

export const TreasuryEntry = Schema.Struct({
  chainId: described(ChainId, "Chain of the token."),
  token: described(Address.Address, "Token of the amounts."),
  collected: described(Sum, "Fees of settled sweeps, without those that sales of the treasury paid."),
  sweeps: described(Schema.Int, "Number of sweeps that paid them."),
  sold: described(Sum, "Amount that settled sales swapped."),
  proceeds: described(Schema.Array(Proceeds), "Amounts that these sales brought in, by token."),
  arrived: described(Sum, "Amount that settled sales of other tokens brought in."),
  held: described(Schema.optionalKey(Sum), "Balance of the fee recipient. Absent if it could not be read."),
  lost: described(Sum, "Part of the balance that cannot be sold at present."),
  unexplained: described(
    Schema.optionalKey(Sum),
    "held − (collected + arrived − sold). 0 when the books agree with the chain. Positive: fees that are not confirmed yet, or transfers from elsewhere. Negative: withdrawals. Absent while a sale is under way, or without a balance."
  ),
  valueUsd: described(Schema.optionalKey(Schema.String), "Value of the balance in US dollars. Absent without a price."),
  state: described(HoldingState, "Plan for the balance, as a code."),
  sell: described(Schema.optionalKey(Sum), "Amount of the first lot that the next round sells."),
  lots: described(Schema.optionalKey(Schema.Int), "Number of lots in which the next round sells the balance."),
  failures: described(Schema.optionalKey(Schema.Int), "Failed attempts since the last sale."),
  reason: described(Schema.optionalKey(UnsellableReason), "Reason of the last failed attempt, as a code."),
  detail: described(Schema.optionalKey(Schema.String), "Reason of the last failed attempt, as text."),
  retryAtMs: described(Schema.optionalKey(Schema.Int), "UNIX time in milliseconds of the next attempt.")
}).annotate({ identifier: "TreasuryEntry" })
export type TreasuryEntry = typeof TreasuryEntry.Type

export const TreasuryChain = Schema.Struct({
  chainId: described(ChainId, "Chain."),
  feeRecipient: described(Address.Address, "Account that collects the fees."),
  asset: described(Schema.optionalKey(Address.Address), "Token that fees are sold into. Absent if none is set."),
  selling: described(
    Schema.Literals(["on", "no_asset", "shared_vault", "no_key", "other_key"]),
    "`on`: the service sells. `no_asset`: TREASURY_ASSETS does not name the chain. `shared_vault`: the chain has no `builderVault` of its own, so the account also holds what builders are owed, and nothing is sold. `no_key`: neither FEE_RECIPIENT_KEY nor FEE_RECIPIENT_KMS_KEY is set. `other_key`: it is the key of another account."
  )
}).annotate({ identifier: "TreasuryChain" })
export type TreasuryChain = typeof TreasuryChain.Type

export const TreasuryView = Schema.Struct({
  chains: described(Schema.Array(TreasuryChain), "Fee recipient and asset of each chain."),
  entries: described(Schema.Array(TreasuryEntry), "Books by chain and token."),
  sales: described(Schema.Array(Sale), "Newest sales first."),
  unavailableChains: described(Schema.Array(ChainId), "Chains of which no balance or no price could be read."),
  lastRoundAtMs: described(Schema.optionalKey(Schema.Int), "UNIX time in milliseconds of the last round of sales."),
  nextRoundAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds of the next round. Absent if the service sells on request only, or not at all."
  )
}).annotate({ identifier: "Treasury" })
export type TreasuryView = typeof TreasuryView.Type

/** A token of the plan that the batch for a Safe leaves out. */
export const LeftOutToken = Schema.Struct({
  token: described(Address.Address, "Token that is left out."),
  reason: described(UnsellableReason, "Reason, as a code."),
  detail: described(Schema.String, "Reason, as text.")
}).annotate({ identifier: "LeftOutToken" })
export type LeftOutToken = typeof LeftOutToken.Type

export const RoundOutcome = Schema.Struct({
  opened: described(Schema.Array(Sale), "Sales that the round planned. They run in the background.")
}).annotate({ identifier: "RoundOutcome" })
export type RoundOutcome = typeof RoundOutcome.Type
