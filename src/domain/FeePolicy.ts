/** Protocol fees by rules: rates by chain, pair, tier and builder, with a minimum and a maximum in US dollars. */
import { Schema, SchemaTransformation } from "effect"
import * as Address from "./Address.ts"
import { mulDivDown, mulDivUp } from "./Amount.ts"
import { BuilderId } from "./Builder.ts"
import { ChainId } from "./ChainId.ts"
import * as Fees from "./Fees.ts"
import { Tier } from "./Tier.ts"

const Bps = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 10_000 }, { message: "expected an integer from 0 to 10000" })
)

const SCALE_DIGITS = 18

/** US dollars as text, scaled by 10^18 inside. */
const Usd = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, { message: 'expected US dollars as text, such as "0.25"' })
).pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({
      decode: (text) => {
        const [whole = "0", fraction = ""] = text.split(".")
        return BigInt(whole + fraction.padEnd(SCALE_DIGITS, "0"))
      },
      encode: (value) => value.toString()
    })
  )
)

/** One rule. It applies to orders that meet all of its conditions. Absent conditions are met by every order. */
export const FeeRule = Schema.Struct({
  /** Source chain. */
  chainId: Schema.optionalKey(ChainId),
  destChainId: Schema.optionalKey(ChainId),
  /** Needs `chainId`. */
  tokenIn: Schema.optionalKey(Address.NonZeroAddress),
  /** Needs `destChainId`. */
  tokenOut: Schema.optionalKey(Address.NonZeroAddress),
  /** Applied tier. */
  tier: Schema.optionalKey(Tier),
  builderId: Schema.optionalKey(BuilderId),
  /** Basis points of the amount, without a subscription. Default: the rate of the tier. */
  protocolBps: Schema.optionalKey(Bps),
  /** Share of the rate that a subscriber pays, in basis points. Default: that of the service. */
  subscriberShareBps: Schema.optionalKey(Bps),
  /** Least fee. Default: none. */
  minUsd: Schema.optionalKey(Usd),
  /** Greatest fee. Default: none. */
  maxUsd: Schema.optionalKey(Usd)
})
export type FeeRule = typeof FeeRule.Type

/** Conditions, the weightiest first: an agreement with a builder outweighs a token, and a token a chain. */
const CONDITIONS = ["builderId", "tokenIn", "tokenOut", "chainId", "destChainId", "tier"] as const

/** The facts of an order that rules ask for. */
export interface OrderFacts {
  readonly chainId: ChainId
  readonly destChainId: ChainId | undefined
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address | undefined
  readonly tier: Tier
  readonly builderId: string | undefined
}

const applies = (rule: FeeRule, facts: OrderFacts): boolean =>
  CONDITIONS.every((condition) => rule[condition] === undefined || rule[condition] === facts[condition])

/** Two different sets of conditions never weigh the same. */
const weight = (rule: FeeRule): number =>
  CONDITIONS.reduce((sum, condition) => sum * 2 + (rule[condition] === undefined ? 0 : 1), 0)

/** The most specific rule that applies to an order. Undefined if none does. */
export const ruleFor = (rules: ReadonlyArray<FeeRule>, facts: OrderFacts): FeeRule | undefined =>
  rules.reduce<FeeRule | undefined>(
    (best, rule) => (applies(rule, facts) && (best === undefined || weight(rule) > weight(best)) ? rule : best),
    undefined
  )

export interface Priced {
  readonly amountIn: bigint
  readonly isSubscribed: boolean
  /** Price of the input token. Positive. */
  readonly tokenUsd: Fees.UsdPrice
  readonly tokenDecimals: number
}

/**
 * Protocol fee of an order, in units of its input token: the rate of the most specific rule, within its minimum and its maximum. Never
 * more than the amount, which the contract would refuse. A subscriber pays at most what others pay.
 */
export const protocolFee = (
  policy: Fees.FeePolicy,
  rules: ReadonlyArray<FeeRule>,
  facts: OrderFacts,
  { amountIn, isSubscribed, tokenDecimals, tokenUsd }: Priced
): bigint => {
  const rule = ruleFor(rules, facts)
  const byRate = Fees.protocolFee(
    {
      ...policy,
      protocolBps: { ...policy.protocolBps, [facts.tier]: rule?.protocolBps ?? policy.protocolBps[facts.tier] },
      subscriberShareBps: rule?.subscriberShareBps ?? policy.subscriberShareBps
    },
    { amountIn, tier: facts.tier, subscriptionActive: isSubscribed }
  )
  const one = 10n ** BigInt(tokenDecimals)
  const least = rule?.minUsd === undefined ? 0n : mulDivUp(rule.minUsd, one, tokenUsd)
  const most = rule?.maxUsd === undefined ? amountIn : mulDivDown(rule.maxUsd, one, tokenUsd)
  return smaller(amountIn, smaller(most, larger(least, byRate)))
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const conditionsOf = (rule: FeeRule): string => JSON.stringify(CONDITIONS.map((condition) => rule[condition] ?? null))

/** Finds the problems of rules that are each well formed, one sentence for each. */
export const objections = (rules: ReadonlyArray<FeeRule>): ReadonlyArray<string> =>
  rules.flatMap((rule, index) => {
    const name = `rule ${index + 1}`
    const earlier = rules.findIndex((other) => conditionsOf(other) === conditionsOf(rule))
    return [
      ...(earlier < index ? [`${name}: rule ${earlier + 1} has the same conditions`] : []),
      ...(rule.tokenIn !== undefined && rule.chainId === undefined ? [`${name}: tokenIn needs chainId`] : []),
      ...(rule.tokenOut !== undefined && rule.destChainId === undefined ? [`${name}: tokenOut needs destChainId`] : []),
      ...(rule.minUsd !== undefined && rule.maxUsd !== undefined && rule.minUsd > rule.maxUsd
        ? [`${name}: minUsd is more than maxUsd`]
        : []),
      ...(rule.protocolBps === undefined &&
      rule.subscriberShareBps === undefined &&
      rule.minUsd === undefined &&
      rule.maxUsd === undefined
        ? [`${name}: sets neither protocolBps, subscriberShareBps, minUsd nor maxUsd`]
        : [])
    ]
  })
