/** The risk of a token beside its own transfers: the operator's rules, risk services and trial trades. */
import { Context, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Tier } from "../../domain/Tier.ts"
import type { TokenRule } from "../../domain/TokenPolicy.ts"
import type { TokenDeclined } from "./TokenRisk.ts"

interface Token {
  readonly chainId: ChainId
  readonly token: Address.Address
}

export interface TokenVerdictsShape {
  /** The operator's own rule for a token, which asks nobody. Undefined if there is none. */
  readonly ruleOf: (token: Token) => Pick<TokenRule, "tier" | "use"> | undefined
  /**
   * Judges a token, and returns the function from its tier by the chain's list to its tier. Declines a token that is denied, that is proven
   * to be a trap, or that two services call one. Services that do not answer in time count as silent.
   */
  readonly judge: (token: Token) => Effect.Effect<(listed: Tier) => Tier, TokenDeclined>
}

/** Default: nothing is known. */
export const TokenVerdicts = Context.Reference<TokenVerdictsShape>("sweep/ports/TokenVerdicts", {
  defaultValue: () => ({ ruleOf: () => undefined, judge: () => Effect.succeed((listed) => listed) })
})
