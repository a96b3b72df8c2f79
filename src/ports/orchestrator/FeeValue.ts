/** Value in native currency of a fee that was taken in a token. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainClient, ChainUnavailable } from "../shared/Chains.ts"
import type { PricesUnavailable } from "./Prices.ts"

export class FeeValue extends Context.Service<
  FeeValue,
  {
    /**
     * Wei that `amount` of the token is certainly worth on the chain. A listed token counts by its price, and has 0 while that does not
     * count. Any other token, and one that no source of prices knows, counts for what the fee recipient gets when it sells the amount at
     * once, in a rehearsal, less the operator's haircut. It has 0 if it cannot be sold there.
     *
     * `holder` has the amount now and pays it to the fee recipient in the rehearsal. Default: the fee recipient has it.
     */
    readonly realisable: (
      client: ChainClient,
      token: Address.Address,
      amount: bigint,
      holder?: Address.Address
    ) => Effect.Effect<bigint, ChainUnavailable | PricesUnavailable>
  }
>()("sweep/ports/FeeValue") {}
