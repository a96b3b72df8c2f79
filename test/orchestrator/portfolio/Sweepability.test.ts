/** The sweepable tokens of an owner. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import * as Fees from "../../../src/domain/Fees.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import * as TokenPolicy from "../../../src/domain/TokenPolicy.ts"
import { TokenVerdicts } from "../../../src/ports/orchestrator/TokenVerdicts.ts"
import { address } from "../../support/FakeChain.ts"
import { LISTED, LST, OWNER, USD, lst, make, one, two } from "./portfolioScene.ts"

describe("what is sweepable", () => {
  it.effect("is what is left after protocol and network fees of the token's tier", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)] })
      const balance = 100n * 10n ** 18n
      const fees =
        Fees.protocolFee(defaults.fees, { amountIn: balance, tier: "tier3", subscriptionActive: false }) +
        Fees.networkFee(defaults.fees, {
          cost: 225_000n * 2_000_000_000n,
          nativeUsd: 2_000n * USD,
          tokenUsd: USD,
          tokenDecimals: 18
        })
      const { tokens, ...view } = yield* scene.sweepable
      assert.deepStrictEqual(view, { owner: OWNER, totalUsd: "100", updatedAtMs: 0 })
      assert.deepStrictEqual(tokens, [
        {
          ...LST,
          balance,
          priceUsd: "1",
          valueUsd: "100",
          tier: "tier3",
          sweepable: true,
          reason: null,
          delegation: "none",
          estimatedNetAmount: balance - fees,
          estimatedNetUsd: "97.92"
        }
      ])
    })
  )

  it.effect("names what the owner's account runs; a contract's holdings cannot be swept", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)] })
      const chain = yield* scene.chain(one.id)
      const designator = (delegate: Address.Address) => `0xef0100${delegate.slice(2).toLowerCase()}` as const
      for (const [code, delegation, sweepable] of [
        ["0x", "none", true],
        [designator(one.contracts.delegate), "ours", true],
        [designator(address(0x66)), "other", true],
        ["0x6001", "contract", false]
      ] as const) {
        yield* chain.setCode(OWNER, code)
        const judged = yield* scene.sweepableToken
        assert.strictEqual(judged.delegation, delegation)
        assert.strictEqual(judged.sweepable, sweepable)
        assert.strictEqual(judged.reason, sweepable ? null : "account_is_a_contract")
      }
    })
  )

  it.effect("is nothing on a chain that does not take EIP-7702 transactions", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)], chains: [{ ...one, supportsSetCode: false }] })
      assert.strictEqual((yield* scene.sweepableToken).reason, "no_set_code_support")
    })
  )

  it.effect("is not what costs more than it is worth", () =>
    Effect.gen(function* () {
      const judged = yield* (yield* make({ held: [lst(1n)] })).sweepableToken
      assert.isFalse(judged.sweepable)
      assert.strictEqual(judged.reason, "worth_less_than_fees")
      assert.strictEqual(judged.estimatedNetAmount, 0n)
      assert.strictEqual(judged.estimatedNetUsd, "0")
      assert.strictEqual(judged.valueUsd, "1")
    })
  )

  it.effect("is not what the risk screen declines; its tier is then the list's", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)], declined: new Map([[LISTED, "transfer_taxed" as const]]) })
      const judged = yield* scene.sweepableToken
      assert.strictEqual(judged.reason, "token_declined")
      assert.isFalse(judged.sweepable)
      assert.strictEqual(judged.tier, "tier2")
    })
  )

  describe("by the operator's rules", () => {
    const by = (rule: Omit<TokenPolicy.TokenRule, "chainId" | "token">) => {
      const rules = TokenPolicy.index([{ chainId: one.id, token: LISTED, ...rule }])
      return Effect.provideService(TokenVerdicts, {
        ruleOf: ({ chainId, token }) => TokenPolicy.ruleOf(rules, chainId, token),
        judge: () => Effect.die("the portfolio asks services")
      })
    }
    const held = [lst(100n), { token: { ...LST, chainId: 2 }, balance: 10n ** 20n }]

    it.effect("is not what they deny, on its chain alone", () =>
      Effect.gen(function* () {
        const scene = yield* make({ held })
        assert.deepStrictEqual(
          (yield* scene.sweepable).tokens.map(({ reason, sweepable }) => [sweepable, reason]),
          [
            [false, "token_declined"],
            [true, null]
          ]
        )
        assert.deepStrictEqual(
          (yield* scene.portfolio).tokens.map(({ worthSweeping }) => worthSweeping),
          [false, true]
        )
      }).pipe(by({ use: "deny" }))
    )

    it.effect("has the tier that they set", () =>
      Effect.gen(function* () {
        const scene = yield* make({ held })
        const tiers = (tokens: ReadonlyArray<{ readonly tier: string }>) => tokens.map(({ tier }) => tier)
        assert.deepStrictEqual(tiers((yield* scene.sweepable).tokens), ["tier1", "tier3"])
        assert.deepStrictEqual(tiers((yield* scene.portfolio).tokens), ["tier1", "tier2"])
      }).pipe(by({ tier: "tier1" }))
    )
  })

  it.effect("is not what cannot be quoted, since the token or the currency that pays for gas has no price", () =>
    Effect.gen(function* () {
      const prices: ReadonlyArray<ReadonlyArray<readonly [Address.Address, bigint]>> = [
        [[NATIVE, USD]],
        [
          [NATIVE, USD],
          [LISTED, 0n]
        ],
        [[LISTED, USD]],
        [
          [LISTED, USD],
          [NATIVE, 0n]
        ]
      ]
      for (const known of prices) {
        const judged = yield* (yield* make({ held: [lst(100n)], prices: known })).sweepableToken
        assert.strictEqual(judged.reason, "no_price")
        assert.isFalse(judged.sweepable)
        assert.strictEqual(judged.estimatedNetAmount, 0n)
      }
    })
  )

  it.effect("is judged token by token, each with its own chain's facts", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n), { token: { ...LST, chainId: 2 }, balance: 10n ** 20n }] })
      yield* (yield* scene.chain(two.id)).setCode(OWNER, "0x6001")
      const { tokens } = yield* scene.sweepable
      assert.deepStrictEqual(
        tokens.map(({ chainId, reason }) => [chainId, reason]),
        [
          [1, null],
          [2, "account_is_a_contract"]
        ]
      )
    })
  )

  it.effect("is unknown while a node or the risk screen does not answer", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)], chains: [one] })
      const chain = yield* scene.chain(one.id)
      yield* chain.fail("code")
      assert.strictEqual((yield* Effect.flip(scene.sweepable))._tag, "PortfolioUnavailable")
      // The owner's tokens are still known.
      assert.strictEqual((yield* scene.portfolio).totalUsd, "100")
      yield* chain.fail()
      yield* Ref.update(scene.tokenRisk, (state) => ({ ...state, available: false }))
      assert.strictEqual((yield* Effect.flip(scene.sweepable))._tag, "PortfolioUnavailable")
    })
  )
})
