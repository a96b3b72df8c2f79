/** Tokens of an owner, their value, and the ones worth sweeping. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as TokenRisk from "../../../src/adapters/memory/orchestrator/TokenRisk.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Portfolio } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import { Prices as PricesPort } from "../../../src/ports/orchestrator/Prices.ts"
import { address } from "../../support/FakeChain.ts"
import { LISTED, LST, OWNER, STABLE, USD, balancesWith, lst, make, one, token, two } from "./portfolioScene.ts"

const UNLISTED = address(0x77)

const ETH = token(1, NATIVE, 18, "ETH")

const USDC = token(1, STABLE, 6, "USDC")

const DUST = token(1, UNLISTED, 0, "DUST")

describe("a portfolio", () => {
  it.effect("values what has a price and adds it up, over all chains", () =>
    Effect.gen(function* () {
      const scene = yield* make({
        held: [
          { token: ETH, balance: 15n * 10n ** 17n },
          { token: USDC, balance: 1_500_001n },
          { token: DUST, balance: 7n },
          { token: { ...LST, chainId: 2 }, balance: 10n ** 18n }
        ]
      })
      yield* TestClock.setTime(1234)
      assert.deepStrictEqual(yield* scene.portfolio, {
        owner: OWNER,
        totalUsd: "3002.500001",
        updatedAtMs: 1234,
        tokens: [
          {
            ...ETH,
            balance: 15n * 10n ** 17n,
            priceUsd: "2000",
            valueUsd: "3000",
            tier: "tier1",
            worthSweeping: true
          },
          {
            ...USDC,
            balance: 1_500_001n,
            priceUsd: "1",
            valueUsd: "1.500001",
            tier: "tier1",
            worthSweeping: true
          },
          {
            ...DUST,
            balance: 7n,
            priceUsd: null,
            valueUsd: null,
            tier: "tier3",
            worthSweeping: false,
            reason: "no_price"
          },
          {
            ...LST,
            chainId: 2,
            balance: 10n ** 18n,
            priceUsd: "1",
            valueUsd: "1",
            tier: "tier2",
            worthSweeping: false,
            reason: "worth_less_than_fees"
          }
        ]
      })
    })
  )

  it.effect("of an owner who holds nothing is worth nothing", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [] })
      assert.deepStrictEqual(yield* scene.portfolio, { owner: OWNER, tokens: [], totalUsd: "0", updatedAtMs: 0 })
      assert.deepStrictEqual((yield* scene.sweepable).tokens, [])
    })
  )

  const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 2n ** 256n - 1n }))
  it.effect.prop(
    "is exact to the last digit, also for amounts that a double cannot hold",
    [Amount, Amount],
    ([balance, price]) =>
      Effect.gen(function* () {
        const scene = yield* make({ held: [{ token: LST, balance }], prices: [[LISTED, price]] })
        const { tokens, totalUsd } = yield* scene.portfolio
        const scaled = (balance * price) / 10n ** 18n
        const [whole = "", fraction = ""] = totalUsd.split(".")
        assert.strictEqual(BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, "0")), scaled)
        assert.strictEqual(tokens[0]?.balance, balance)
        assert.strictEqual(tokens[0]?.valueUsd, totalUsd)
      })
  )

  it.effect("answers after 1.5 seconds without the chains that do not answer, and names them", () =>
    Effect.gen(function* () {
      const held = [lst(100n), { token: { ...LST, chainId: 2 }, balance: 10n ** 18n }]
      const scene = yield* make({ held, silent: two.id })
      for (const view of [scene.portfolio, scene.sweepable]) {
        const answer = yield* Effect.forkChild(view)
        yield* TestClock.adjust(1_500)
        const { tokens, totalUsd, unavailableChains } = yield* Fiber.join(answer)
        assert.deepStrictEqual(
          tokens.map(({ chainId }) => chainId),
          [one.id]
        )
        assert.strictEqual(totalUsd, "100")
        assert.deepStrictEqual(unavailableChains, [two.id])
      }
    })
  )

  it.effect("names a chain that fails, and is unavailable when all do", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)], silent: two.id })
      const answer = yield* Effect.forkChild(Effect.flip(scene.portfolio))
      yield* Ref.update(scene.balances, (state) => ({ ...state, available: false }))
      yield* TestClock.adjust(1_500)
      assert.strictEqual((yield* Fiber.join(answer))._tag, "PortfolioUnavailable")
    })
  )

  it.effect("is unavailable while balances or prices are", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [lst(100n)], chains: [one] })
      const unavailable = Effect.forEach([scene.portfolio, scene.sweepable], (view) =>
        Effect.map(Effect.flip(view), ({ _tag }) => {
          assert.strictEqual(_tag, "PortfolioUnavailable")
        })
      )
      yield* Ref.update(scene.balances, (state) => ({ ...state, available: false }))
      yield* unavailable
      yield* Ref.update(scene.balances, (state) => ({ ...state, available: true }))
      yield* Ref.update(scene.prices, (state) => ({ ...state, available: false }))
      yield* unavailable
    })
  )
})

describe("prices", () => {
  it.effect("are of listed tokens that have one, and stand for a minute; a failure does not", () =>
    Effect.gen(function* () {
      const scene = yield* make({ held: [] })
      const turn = (available: boolean) => Ref.update(scene.prices, (state) => ({ ...state, available }))
      yield* turn(false)
      assert.strictEqual((yield* Effect.flip(scene.listed))._tag, "PortfolioUnavailable")
      yield* turn(true)
      const { prices } = yield* scene.listed
      assert.deepInclude(prices, {
        chainId: one.id,
        address: LISTED,
        priceUsd: "1",
        ageSeconds: 0,
        sources: ["memory"]
      })
      assert.includeMembers(
        prices.map(({ chainId }) => chainId),
        [one.id, two.id]
      )
      yield* turn(false)
      assert.deepStrictEqual((yield* scene.listed).prices, prices)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* Effect.flip(scene.listed))._tag, "PortfolioUnavailable")
    })
  )
})

describe("prices of several chains", () => {
  it.effect("come without those of a silent chain, which is looked at again soon", () =>
    Effect.gen(function* () {
      let isSilent = true
      const price = { usd: USD, readAtMs: 0, sources: ["pools"] }
      const detailed = (chainId: number) =>
        isSilent && chainId === two.id ? Effect.never : Effect.succeed(new Map([[LISTED, price]]))
      const context = yield* Layer.build(
        Portfolio.layer.pipe(
          Layer.provide([
            balancesWith(undefined, []),
            Chains.layer([one, two]),
            Layer.succeed(PricesPort, PricesPort.ofDetailed(detailed)),
            TokenRisk.layer({ tokens: [] }),
            OrchestratorSettings.layer(defaults)
          ])
        )
      )
      const { prices } = Context.get(context, Portfolio)
      const first = yield* Effect.forkChild(prices)
      yield* TestClock.adjust(1_500)
      const partial = yield* Fiber.join(first)
      assert.deepStrictEqual(partial.unavailableChains, [two.id])
      assert.deepStrictEqual(
        partial.prices.map(({ chainId }) => chainId),
        [one.id]
      )
      isSilent = false
      assert.deepStrictEqual(yield* prices, partial)
      yield* TestClock.adjust("5 seconds")
      const whole = yield* prices
      assert.isUndefined(whole.unavailableChains)
      assert.deepStrictEqual(
        whole.prices.map(({ chainId }) => chainId),
        [one.id, two.id]
      )
    })
  )
})
