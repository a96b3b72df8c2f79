/** Marks of tokens, doubtful prices, and what is worth sweeping. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Portfolio } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import { Balances, type TokenBalance } from "../../../src/ports/orchestrator/Balances.ts"
import { type Price, Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { TokenRisk } from "../../../src/ports/orchestrator/TokenRisk.ts"
import { address } from "../../support/FakeChain.ts"
import { LISTED, LST, OWNER, USD, one, token, two } from "./portfolioScene.ts"

const at = (byte: number, symbol: string, decimals = 18) => token(1, address(byte), decimals, symbol)
const held = (info: TokenBalance["token"], facts: Partial<TokenBalance> = {}): TokenBalance => ({
  token: info,
  balance: 100n * 10n ** BigInt(info.decimals),
  ...facts
})
const price = (facts: Partial<Price> = {}): Price => ({ usd: USD, readAtMs: 0, sources: ["pools"], ...facts })

/** The portfolio of these balances, with what was asked of the ports. */
const scene = Effect.fnUntraced(function* (
  balances: ReadonlyArray<TokenBalance>,
  prices: ReadonlyMap<Address.Address, Price>
) {
  const priced: Array<Address.Address> = []
  const asked: Array<unknown> = []
  const screened: Array<Address.Address> = []
  const context = yield* Layer.build(
    Portfolio.layer.pipe(
      Layer.provide(
        Layer.mergeAll(
          Layer.succeed(Balances, {
            on: (chainId, _owner, tokens) => {
              asked.push(tokens)
              return Effect.succeed(chainId === 1 ? balances : [])
            }
          }),
          Layer.succeed(
            Prices,
            Prices.ofDetailed((_chainId, tokens) => {
              priced.push(...tokens.map((each) => each.address))
              return Effect.succeed(
                new Map([...prices].filter(([known]) => tokens.some((each) => each.address === known)))
              )
            })
          ),
          Chains.layer([one, two]),
          Layer.mock(TokenRisk, {
            screenInput: ({ token: of }) => {
              screened.push(of)
              return Effect.succeed({ decimals: 18, symbol: "T", tier: "tier3" } as never)
            }
          }),
          OrchestratorSettings.layer(orchestratorDefaults)
        )
      )
    )
  )
  return { portfolio: Context.get(context, Portfolio), priced, asked, screened }
})

const ETH_PRICE = [NATIVE, price({ usd: 2_000n * USD })] as const

describe("the marks of a portfolio", () => {
  const fake = at(0x71, "USDС")
  const spam = at(0x72, "Visit claim-now.xyz")
  const flagged = at(0x73, "FLAG")
  const other = at(0x74, "NEW")
  const tokens = [
    held(LST),
    held(fake, { voucher: "none" }),
    held(spam, { voucher: "none" }),
    held(flagged, { voucher: "list", isSpam: true }),
    held(other, { voucher: "none" })
  ]
  const prices = new Map([ETH_PRICE, ...tokens.map((each) => [each.token.address, price()] as const)])

  it.effect("are shown, hide nothing, and leave impersonators and spam without a price", () =>
    Effect.gen(function* () {
      const { portfolio, priced } = yield* scene(tokens, prices)
      const view = yield* portfolio.portfolio(OWNER)
      assert.deepStrictEqual(
        view.tokens.map(({ priceUsd, standing, worthSweeping }) => [standing, priceUsd, worthSweeping]),
        [
          [undefined, "1", true],
          ["impersonator", null, false],
          ["spam", null, false],
          ["spam", null, false],
          ["unlisted", "1", true]
        ]
      )
      // It is not known what a sale of the unlisted one pays.
      assert.strictEqual(view.totalUsd, "100")
      assert.sameMembers(priced, [NATIVE, LISTED, other.address])
      const sweepable = yield* portfolio.sweepable(OWNER)
      assert.deepStrictEqual(
        sweepable.tokens.map(({ reason }) => reason),
        [null, "no_price", "no_price", "no_price", null]
      )
    })
  )

  it.effect("leave out the chain's own money, which counts in the total though no list has it", () =>
    Effect.gen(function* () {
      const wrapped = { ...at(0x75, "WRAP"), address: one.wrappedNative }
      const all = new Map([ETH_PRICE, [one.wrappedNative, price({ usd: 2n * USD })] as const])
      const { portfolio } = yield* scene([held(wrapped, { voucher: "none" })], all)
      const view = yield* portfolio.portfolio(OWNER)
      assert.isUndefined(view.tokens[0]?.standing)
      assert.strictEqual(view.totalUsd, "200")
    })
  )

  it.effect("do not let a wallet full of unlisted tokens be priced without end", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 150 }, (_, index) => held(at(index + 1, `N${index}`), { voucher: "none" }))
      const all = new Map([...prices, ...many.map(({ token: { address: of } }) => [of, price()] as const)])
      const { portfolio, priced, screened } = yield* scene(many, all)
      assert.lengthOf((yield* portfolio.portfolio(OWNER)).tokens, 150)
      assert.isAtMost(priced.length, 31)
      assert.lengthOf((yield* portfolio.sweepable(OWNER)).tokens, 150)
      assert.isAtMost(screened.length, 30)
    })
  )

  it.effect("come with tokens that were asked for", () =>
    Effect.gen(function* () {
      const { asked, portfolio } = yield* scene(tokens, prices)
      yield* portfolio.portfolio(OWNER, [other.address])
      yield* portfolio.sweepable(OWNER, [other.address])
      assert.deepStrictEqual(
        asked,
        Array.from({ length: 4 }, () => [other.address])
      )
    })
  )
})

describe("doubtful prices", () => {
  it.effect("are shown and marked, and neither summed up nor used for fees", () =>
    Effect.gen(function* () {
      const [wild, lone] = [at(0xb1, "LST"), at(0x75, "LONE")]
      const { portfolio } = yield* scene(
        [held(wild), held(lone)],
        new Map([
          ETH_PRICE,
          [wild.address, price({ doubt: "wild" })],
          [lone.address, price({ doubt: "lone", isForDisplay: true })]
        ])
      )
      const view = yield* portfolio.portfolio(OWNER)
      assert.deepStrictEqual(
        view.tokens.map(({ doubtful, valueUsd, worthSweeping }) => [doubtful, valueUsd, worthSweeping]),
        [
          [true, "100", true],
          [true, "100", false]
        ]
      )
      assert.strictEqual(view.totalUsd, "0")
      assert.deepStrictEqual(
        (yield* portfolio.sweepable(OWNER)).tokens.map(({ reason }) => reason),
        [null, "no_price"]
      )
    })
  )
})

describe("tokens of unusual decimals", () => {
  it.effect("are valued with 0 and with 24", () =>
    Effect.gen(function* () {
      const [whole, fine] = [at(0x76, "WHOLE", 0), at(0x77, "FINE", 24)]
      const { portfolio } = yield* scene(
        [held(whole), held(fine)],
        new Map([ETH_PRICE, [whole.address, price()], [fine.address, price()]])
      )
      const { tokens } = yield* portfolio.portfolio(OWNER)
      assert.deepStrictEqual(
        tokens.map(({ valueUsd, worthSweeping }) => [valueUsd, worthSweeping]),
        [
          ["100", true],
          ["100", true]
        ]
      )
    })
  )
})
