/** Token balances of an owner on a chain. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { TokenInfo } from "../../domain/Token.ts"

export interface TokenBalance {
  readonly token: TokenInfo
  /** In the token's smallest unit. Always positive. */
  readonly balance: bigint
  /** `list`: a token list has it. `none`: it was found or asked for, and no list has it. Default: the operator lists it. */
  readonly voucher?: "list" | "none"
  /** True if a provider says that the token is spam. */
  readonly isSpam?: boolean
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
     * Tokens with a positive balance: the native currency first, then in list order, then others. `asked` are tokens to look for
     * that no list needs to have. Addresses without a token are left out.
     */
    readonly on: (
      chainId: ChainId,
      owner: Address.Address,
      asked?: ReadonlyArray<Address.Address>
    ) => Effect.Effect<ReadonlyArray<TokenBalance>, BalancesUnavailable>
  }
>()("sweep/ports/Balances") {}
