/** The operator's rules of tokens: which are allowed or denied whatever others say, and their tiers. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { ChainId } from "./ChainId.ts"
import { Tier } from "./Tier.ts"

export const TokenRule = Schema.Struct({
  chainId: ChainId,
  token: Address.NonZeroAddress,
  /** `allow`: no risk service is asked. `deny`: the token is neither swept nor received. Default: services decide. */
  use: Schema.optionalKey(Schema.Literals(["allow", "deny"])),
  /** Tier of the token instead of that of the chain's list. */
  tier: Schema.optionalKey(Tier)
})
export type TokenRule = typeof TokenRule.Type

export type TokenRules = ReadonlyMap<string, TokenRule>

const keyOf = (chainId: ChainId, token: Address.Address): string => `${chainId}:${token}`

export const index = (rules: ReadonlyArray<TokenRule>): TokenRules =>
  new Map(rules.map((rule) => [keyOf(rule.chainId, rule.token), rule]))

export const ruleOf = (rules: TokenRules, chainId: ChainId, token: Address.Address): TokenRule | undefined =>
  rules.get(keyOf(chainId, token))

/** Finds the problems of rules that are each well formed, one sentence for each. */
export const objections = (rules: ReadonlyArray<TokenRule>): ReadonlyArray<string> =>
  rules.flatMap((rule, position) => {
    const name = `token ${position + 1}`
    const earlier = rules.findIndex(({ chainId, token }) => chainId === rule.chainId && token === rule.token)
    return [
      ...(earlier < position ? [`${name}: token ${earlier + 1} is the same`] : []),
      ...(rule.use === undefined && rule.tier === undefined ? [`${name}: sets neither use nor tier`] : [])
    ]
  })
