/** Balances of the vault, the account that holds what builders are owed. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainClient, ChainUnavailable } from "../shared/Chains.ts"

export class VaultBalances extends Context.Service<
  VaultBalances,
  {
    /**
     * Balances in the latest block, in the order of the tokens and in their smallest units. Native currency included. None for a token that
     * does not tell a balance. A token that burns the gas of a request fails it.
     */
    readonly read: (
      client: ChainClient,
      tokens: ReadonlyArray<Address.Address>
    ) => Effect.Effect<ReadonlyArray<Option.Option<bigint>>, ChainUnavailable>
  }
>()("sweep/ports/VaultBalances") {}
