/** Estimates of what balances sell for now, by a cheap look at the exchanges of a chain. Portfolios decide by them. They are no quotes. */
import { Context, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { SaleEstimate } from "../../domain/SaleWorth.ts"

/** A balance to estimate. */
export interface Sale {
  /** ERC-20. */
  readonly token: Address.Address
  /** In the smallest unit of the token. */
  readonly amount: bigint
  /** True if the operator or a token list has the token. Others are read apart, because their code is anybody's. */
  readonly isListed: boolean
}

export interface SaleEstimatesShape {
  /** Estimates by token. A token whose estimate is not known, or not in time, has none. Never fails. */
  readonly of: (
    chainId: ChainId,
    sales: ReadonlyArray<Sale>
  ) => Effect.Effect<ReadonlyMap<Address.Address, SaleEstimate>>
}

/** Default: nothing is known. */
export const SaleEstimates = Context.Reference<SaleEstimatesShape>("sweep/ports/SaleEstimates", {
  defaultValue: () => ({ of: () => Effect.succeed(new Map()) })
})
