/** What an owner holds on each chain: the source of the portfolio routes. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { TokenInfo } from "../../domain/Token.ts"

export interface TokenBalance {
  readonly token: TokenInfo
  /** In the token's smallest unit; always positive. */
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
    /** Every token with a positive balance, the native currencies included, in chain and list order. */
    readonly of: (owner: Address.Address) => Effect.Effect<ReadonlyArray<TokenBalance>, BalancesUnavailable>
  }
>()("sweep/ports/Balances") {}
