/** Decides whether a token may be swept, and how risky it is. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Tier } from "../../domain/Tier.ts"
import type { ChainUnavailable } from "../shared/Chains.ts"

export interface TokenProfile {
  readonly tier: Tier
  readonly symbol: string
  /** Number of decimals of the token. */
  readonly decimals: number
  /** Part of a transfer that the token takes for itself, in basis points, as measured. Absent: none. */
  readonly transferFeeBps?: number
}

/** The token cannot be swept, for this reason. */
export class TokenDeclined extends Schema.TaggedError<TokenDeclined>()("TokenDeclined", {
  token: Schema.String,
  reason: Schema.Literals([
    "not_a_token",
    "transfer_fails",
    "transfer_taxed",
    "insufficient_balance",
    "denied",
    "risky"
  ]),
  detail: Schema.String
}) {
  override get message(): string {
    return `token ${this.token} declined (${this.reason}): ${this.detail}`
  }
}

export class TokenRisk extends Context.Service<
  TokenRisk,
  {
    /** Symbol and decimals of a token. Declines an address that is not a token. */
    readonly describe: (
      chainId: ChainId,
      token: Address.Address
    ) => Effect.Effect<Pick<TokenProfile, "symbol" | "decimals">, TokenDeclined | ChainUnavailable>
    /**
     * Profiles a token of which `owner` wants to sweep `amount` (smallest unit), from token lists and by simulating its
     * transfer. Declines a token whose transfer fails, is blocked, or takes more than the operator's limit.
     */
    readonly screenInput: (options: {
      readonly chainId: ChainId
      readonly token: Address.Address
      readonly owner: Address.Address
      readonly amount: bigint
    }) => Effect.Effect<TokenProfile, TokenDeclined | ChainUnavailable>
  }
>()("sweep/ports/TokenRisk") {}
