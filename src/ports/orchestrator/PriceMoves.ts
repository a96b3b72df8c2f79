/** Tells how much prices of tokens have moved lately. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"

export class PriceMoves extends Context.Service<
  PriceMoves,
  {
    /**
     * Distance in basis points that the price of a token moved in the last ten minutes, by what the process has read of it. Reads
     * nothing and never waits. Undefined if too little is known. The native sentinel stands for the native currency.
     */
    readonly volatilityBps: (chainId: ChainId, token: Address.Address) => Effect.Effect<number | undefined>
  }
>()("sweep/ports/PriceMoves") {}
