/** Token prices in US dollars. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"

export class PricesUnavailable extends Schema.TaggedError<PricesUnavailable>()("PricesUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `prices are unavailable: ${this.detail}`
  }
}

export class Prices extends Context.Service<
  Prices,
  {
    /**
     * US dollars per whole token, scaled by 10^18, of the tokens that have a price. The map has no entry for a token
     * without a price. The native sentinel stands for the native currency.
     */
    readonly usd: (
      chainId: ChainId,
      tokens: ReadonlyArray<{ readonly address: Address.Address; readonly decimals: number }>
    ) => Effect.Effect<ReadonlyMap<Address.Address, UsdPrice>, PricesUnavailable>
  }
>()("sweep/ports/Prices") {}
