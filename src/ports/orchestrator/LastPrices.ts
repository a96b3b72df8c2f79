/** Last good prices of listed tokens, which all replicas share and a restart keeps. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Kept } from "../../domain/PriceReview.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export class LastPrices extends Context.Service<
  LastPrices,
  {
    /** The newest price of each token of the chain that was kept. */
    readonly read: (chainId: ChainId) => Effect.Effect<ReadonlyMap<Address.Address, Kept>, StoreUnavailable>
    /** Keeps the price of a token, unless a newer one is kept. */
    readonly keep: (chainId: ChainId, token: Address.Address, price: Kept) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/LastPrices") {}
