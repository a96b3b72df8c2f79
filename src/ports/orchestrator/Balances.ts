/** Token balances of an owner on every chain. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
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
    /**
     * Tokens with a positive balance, native currencies included, in chain and list order. One chain without an answer
     * makes the whole call fail.
     */
    readonly of: (owner: Address.Address) => Effect.Effect<ReadonlyArray<TokenBalance>, BalancesUnavailable>
  }
>()("sweep/ports/Balances") {}
