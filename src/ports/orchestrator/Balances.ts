/** Token balances of an owner on a chain. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { TokenInfo } from "../../domain/Token.ts"

export interface TokenBalance {
  readonly token: TokenInfo
  /** In the token's smallest unit. Always positive. */
  readonly balance: bigint
}

export class BalancesUnavailable extends Schema.TaggedError<BalancesUnavailable>()("BalancesUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `balances are unavailable: ${this.detail}`
  }
}

export class Balances extends Context.Service<
  Balances,
  {
    /** Tokens with a positive balance: the native currency first, then in list order. */
    readonly on: (
      chainId: ChainId,
      owner: Address.Address
    ) => Effect.Effect<ReadonlyArray<TokenBalance>, BalancesUnavailable>
  }
>()("sweep/ports/Balances") {}
