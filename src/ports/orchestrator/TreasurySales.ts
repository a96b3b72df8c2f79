/** Durable record of the treasury: collected fees, sales and their failures. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { NewSale, SaleFailure, StoredSale, UnsellableReason } from "../../domain/Treasury.ts"
import type { CollectedFees, SoldFees } from "../../domain/TreasuryBooks.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** Fees of the settled sweeps of one delegate, which decides who receives them. */
export interface CollectedBy extends CollectedFees {
  readonly delegate: Address.Address
}

/** Reason why a token cannot be sold. */
export interface Refusal {
  readonly reason: UnsellableReason
  /** Human-readable. */
  readonly detail: string
}

/** A round of sales. */
export interface NewRound {
  /** The round is given up if another one began at this time or later, in UNIX milliseconds. Absent: never. */
  readonly unlessSinceMs?: number
  readonly sales: ReadonlyArray<NewSale>
  /** Tokens that are found to be unsellable before a sale is planned. */
  readonly refused: ReadonlyArray<Refusal & { readonly chainId: ChainId; readonly token: Address.Address }>
}

/**
 * A token of a chain has at most one open sale. Every operation that takes a sale fails to change it if its `version` is no longer the
 * stored one: another process changed it first.
 */
export class TreasurySales extends Context.Service<
  TreasurySales,
  {
    /**
     * Fees of settled sweeps by chain, delegate and `tokenIn` (the native sentinel included), without those that sales of the treasury
     * paid. Counted in the transaction that settles a sweep.
     */
    readonly collected: Effect.Effect<ReadonlyArray<CollectedBy>, StoreUnavailable>
    /** Settled sales by seller, token and asset. */
    readonly sold: Effect.Effect<
      ReadonlyArray<SoldFees & { readonly seller: Address.Address; readonly sales: number }>,
      StoreUnavailable
    >
    /** Open sales, oldest first. */
    readonly open: Effect.Effect<ReadonlyArray<StoredSale>, StoreUnavailable>
    /** Newest sales first. */
    readonly recent: (limit: number) => Effect.Effect<ReadonlyArray<StoredSale>, StoreUnavailable>
    /** Failed attempts of each token since its last sale. */
    readonly failures: Effect.Effect<ReadonlyArray<SaleFailure>, StoreUnavailable>
    /** Time of the last round, in UNIX milliseconds. None before the first. */
    readonly lastRoundAtMs: Effect.Effect<Option.Option<number>, StoreUnavailable>
    /** Time at which the first round is due, in UNIX milliseconds: that of the first call, which is recorded. */
    readonly firstDueAtMs: Effect.Effect<number, StoreUnavailable>
    /**
     * Records a round, its sales and its refusals in one transaction. Returns the new sales, without those of tokens that have an open
     * sale. None if the round is given up.
     */
    readonly openRound: (round: NewRound) => Effect.Effect<Option.Option<ReadonlyArray<StoredSale>>, StoreUnavailable>
    /** Leases up to `limit` open sales that are due, longest due first. A sale whose lease ended is due again. */
    readonly claim: (options: {
      readonly leaseMillis: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<StoredSale>, StoreUnavailable>
    /** Sets the time at which an open sale is due. */
    readonly postpone: (sale: StoredSale, dueAtMs: number) => Effect.Effect<void, StoreUnavailable>
    /** Chooses the intent of a planned sale. Durable before its order is signed. Returns the sale; none if it was changed. */
    readonly offer: (
      sale: StoredSale,
      intent: { readonly intentId: string; readonly feeAmount: bigint }
    ) => Effect.Effect<Option.Option<StoredSale>, StoreUnavailable>
    /** Forgets the intent of an offered sale, which can no longer settle. True if it did. */
    readonly replan: (sale: StoredSale, dueAtMs: number) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Ends an offered sale that the chain proves, forgets the token's failures, and plans the next lot, in one transaction. True if it
     * did.
     */
    readonly settle: (
      sale: StoredSale,
      proof: { readonly amountOut: bigint; readonly txHash: Hash },
      next?: { readonly amount: bigint; readonly rest: bigint; readonly dueAtMs: number }
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Ends an open sale and counts a failure of its token, in one transaction. True if it did. */
    readonly fail: (sale: StoredSale, why: Refusal) => Effect.Effect<boolean, StoreUnavailable>
    /** Sums up the changes of collected fees, so that few rows answer the next reads. The sums stay the same. */
    readonly sumUp: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/TreasurySales") {}
