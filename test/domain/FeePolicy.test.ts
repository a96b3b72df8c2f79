import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as FeePolicy from "../../src/domain/FeePolicy.ts"
import * as Fees from "../../src/domain/Fees.ts"
import { Tier } from "../../src/domain/Tier.ts"
import * as FakeChain from "../support/FakeChain.ts"
import { Bps, Units } from "./Arbitraries.ts"

const DEFAULTS: Fees.FeePolicy = {
  protocolBps: { tier1: 25, tier2: 50, tier3: 100 },
  subscriberShareBps: 5_000,
  networkMarginBps: 2_000
}

const USD = 10n ** 18n
const Token = Schema.Literals([FakeChain.address(1), FakeChain.address(2)])
const Chain = Schema.Literals([1, 10])
const Cents = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 24n }))
const maybe = <S extends Schema.Constraint>(schema: S) => Schema.Union([schema, Schema.Undefined])

const Rule = Schema.Struct({
  chainId: maybe(Chain),
  destChainId: maybe(Chain),
  tokenIn: maybe(Token),
  tokenOut: maybe(Token),
  tier: maybe(Tier),
  builderId: maybe(Schema.Literals(["acme", "other"])),
  protocolBps: maybe(Bps),
  subscriberShareBps: maybe(Bps),
  minUsd: maybe(Cents),
  maxUsd: maybe(Cents)
})

/** The rule without the fields that are undefined. */
const ruleOf = (drawn: typeof Rule.Type): FeePolicy.FeeRule =>
  Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined))

const Case = Schema.Struct({
  rules: Schema.Array(Rule),
  facts: Schema.Struct({
    chainId: Chain,
    destChainId: Chain,
    tokenIn: Token,
    tokenOut: Token,
    tier: Tier,
    builderId: maybe(Schema.Literals(["acme", "other"]))
  }),
  amountIn: Units,
  tokenUsd: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 24n })),
  tokenDecimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 }))
})

const facts: FeePolicy.OrderFacts = {
  chainId: 1,
  destChainId: 1,
  tokenIn: FakeChain.address(1),
  tokenOut: FakeChain.address(2),
  tier: "tier2",
  builderId: "acme"
}

/** The fee on 1,000 whole tokens of one dollar, in thousandths of a token. */
const feeOf = (
  rules: ReadonlyArray<FeePolicy.FeeRule>,
  changes: Partial<FeePolicy.OrderFacts> = {},
  isSubscribed = false
) =>
  FeePolicy.protocolFee(
    DEFAULTS,
    rules,
    { ...facts, ...changes },
    {
      amountIn: 1_000_000n,
      isSubscribed,
      tokenUsd: USD,
      tokenDecimals: 3
    }
  )

describe("FeePolicy.protocolFee", () => {
  it.prop("is the tier's fee to the unit where no rule is", [Case, Schema.Boolean], ([drawn, isSubscribed]) => {
    const { amountIn, facts: order } = drawn
    assert.strictEqual(
      FeePolicy.protocolFee(DEFAULTS, [], order, { ...drawn, isSubscribed }),
      Fees.protocolFee(DEFAULTS, { amountIn, tier: order.tier, subscriptionActive: isSubscribed })
    )
  })

  it.prop(
    "is never negative, never above the maximum, and never above the amount",
    [Case, Schema.Boolean],
    ([drawn, isSubscribed]) => {
      const rules = drawn.rules.map(ruleOf)
      const fee = FeePolicy.protocolFee(DEFAULTS, rules, drawn.facts, { ...drawn, isSubscribed })
      assert.isTrue(0n <= fee && fee <= drawn.amountIn)
      const most = FeePolicy.ruleFor(rules, drawn.facts)?.maxUsd
      if (most !== undefined) assert.isTrue(fee * drawn.tokenUsd <= most * 10n ** BigInt(drawn.tokenDecimals))
    }
  )

  it.prop("is never higher for subscribers", [Case], ([drawn]) => {
    const rules = drawn.rules.map(ruleOf)
    const fee = (isSubscribed: boolean) =>
      FeePolicy.protocolFee(DEFAULTS, rules, drawn.facts, { ...drawn, isSubscribed })
    assert.isTrue(fee(true) <= fee(false))
  })

  it.prop("follows one rule, whatever the order of the file", [Case], ([drawn]) => {
    const rules = drawn.rules.map(ruleOf)
    const priced = { ...drawn, isSubscribed: false }
    // Rules of the same conditions are refused with the file, so the first of them stands for all.
    const distinct = rules.filter((_, index) =>
      FeePolicy.objections(rules.slice(0, index + 1)).every(
        (problem) => !problem.startsWith(`rule ${index + 1}: rule `)
      )
    )
    assert.strictEqual(
      FeePolicy.protocolFee(DEFAULTS, distinct, drawn.facts, priced),
      FeePolicy.protocolFee(DEFAULTS, distinct.toReversed(), drawn.facts, priced)
    )
  })

  it("takes the most specific rule: builder, token, chain, tier", () => {
    const rules: ReadonlyArray<FeePolicy.FeeRule> = [
      { protocolBps: 1 },
      { tier: "tier2", protocolBps: 2 },
      { chainId: 1, protocolBps: 3 },
      { chainId: 1, tokenIn: FakeChain.address(1), protocolBps: 4 },
      {
        chainId: 1,
        tokenIn: FakeChain.address(1),
        destChainId: 1,
        tokenOut: FakeChain.address(2),
        protocolBps: 5
      },
      { builderId: "acme", protocolBps: 6 }
    ]
    assert.strictEqual(feeOf(rules), 600n)
    assert.strictEqual(feeOf(rules, { builderId: undefined }), 500n)
    assert.strictEqual(feeOf(rules, { builderId: undefined, tokenOut: FakeChain.address(3) }), 400n)
    assert.strictEqual(feeOf(rules, { builderId: undefined, tokenIn: FakeChain.address(9) }), 300n)
    assert.strictEqual(feeOf(rules, { builderId: undefined, chainId: 10 }), 200n)
    assert.strictEqual(feeOf(rules, { builderId: undefined, chainId: 10, tier: "tier1" }), 100n)
  })

  it("holds the minimum and the maximum, for subscribers too", () => {
    const bounded: FeePolicy.FeeRule = { minUsd: 2n * USD, maxUsd: 4n * USD }
    assert.strictEqual(feeOf([bounded]), 4_000n)
    assert.strictEqual(feeOf([bounded], {}, true), 2_500n)
    assert.strictEqual(feeOf([{ ...bounded, protocolBps: 0 }]), 2_000n)
    assert.strictEqual(feeOf([{ subscriberShareBps: 0 }], {}, true), 0n)
  })
})

describe("FeePolicy.objections", () => {
  it("names every rule that contradicts itself or another", () => {
    assert.deepStrictEqual(
      FeePolicy.objections([
        { tier: "tier1", protocolBps: 1 },
        { tier: "tier1", protocolBps: 2 },
        { tokenIn: FakeChain.address(1), tokenOut: FakeChain.address(2), protocolBps: 3 },
        { chainId: 1, minUsd: 2n, maxUsd: 1n },
        { chainId: 2 }
      ]),
      [
        "rule 2: rule 1 has the same conditions",
        "rule 3: tokenIn needs chainId",
        "rule 3: tokenOut needs destChainId",
        "rule 4: minUsd is more than maxUsd",
        "rule 5: sets neither protocolBps, subscriberShareBps, minUsd nor maxUsd"
      ]
    )
  })
})
