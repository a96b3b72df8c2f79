/** Token prices in US dollars. */
import { Context, Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { Doubt } from "../../domain/PriceReview.ts"

export class PricesUnavailable extends Schema.TaggedError<PricesUnavailable>()("PricesUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `prices are unavailable: ${this.detail}`
  }
}

export interface PricedToken {
  readonly address: Address.Address
  readonly decimals: number
}

/** A price with its origin. */
export interface Price {
  readonly usd: UsdPrice
  /** UNIX milliseconds when the sources were asked. */
  readonly readAtMs: number
  /** Names of the sources that have a price of the token, e.g. `uniswap-v3`. */
  readonly sources: ReadonlyArray<string>
  /** Reason to show the price with a warning. */
  readonly doubt?: Doubt
  /** True if nothing may be decided by the price. */
  readonly isForDisplay?: boolean
}

type Read<A> = (
  chainId: ChainId,
  tokens: ReadonlyArray<PricedToken>
) => Effect.Effect<ReadonlyMap<Address.Address, A>, PricesUnavailable>

export class Prices extends Context.Service<
  Prices,
  {
    /**
     * US dollars per whole token, scaled by 10^18, of the tokens that have a price. The map has no entry for a token
     * without a price that counts. The native sentinel stands for the native currency.
     */
    readonly usd: Read<UsdPrice>
    /** The same prices and those that are for display only, with their ages and sources. */
    readonly detailed: Read<Price>
  }
>()("sweep/ports/Prices") {
  /** The service by one of its functions. */
  static readonly ofDetailed = (detailed: Read<Price>): Prices["Service"] => ({
    detailed,
    usd: (chainId, tokens) =>
      Effect.map(
        detailed(chainId, tokens),
        (prices) =>
          new Map(
            Array.from(prices).flatMap(([address, { isForDisplay, usd }]) =>
              isForDisplay === true ? [] : [[address, usd] as const]
            )
          )
      )
  })
}
