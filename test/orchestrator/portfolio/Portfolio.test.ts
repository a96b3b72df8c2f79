/** Tokens of an owner, their value, and the ones worth sweeping. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Balances from "../../../src/adapters/memory/orchestrator/Balances.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Prices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as TokenRisk from "../../../src/adapters/memory/orchestrator/TokenRisk.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import * as Fees from "../../../src/domain/Fees.ts"
import { NATIVE, type TokenInfo } from "../../../src/domain/Token.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Portfolio } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import * as BalancesPort from "../../../src/ports/orchestrator/Balances.ts"
import { Prices as PricesPort } from "../../../src/ports/orchestrator/Prices.ts"
import type { TokenDeclined } from "../../../src/ports/orchestrator/TokenRisk.ts"
import { address, chain as template } from "../../support/FakeChain.ts"

type TokenBalance = BalancesPort.TokenBalance

const OWNER = address(0x11)
const one: Chain = { ...template, id: 1, name: "one" }
const two: Chain = { ...template, id: 2, name: "two" }

const USD = 10n ** 18n
const LISTED = address(0xb1)
const STABLE = address(0xd1)
const UNLISTED = address(0x77)

const token = (chainId: number, at: Address.Address, decimals: number, symbol: string): TokenInfo => ({
  chainId,
  address: at,
  symbol,
  name: `${symbol} of ${chainId}`,
  decimals
})

const ETH = token(1, NATIVE, 18, "ETH")
const LST = token(1, LISTED, 18, "LST")
const USDC = token(1, STABLE, 6, "USDC")
const DUST = token(1, UNLISTED, 0, "DUST")

const balancesWith = (silent: number | undefined, held: ReadonlyArray<TokenBalance>) =>
  Layer.effect(
    BalancesPort.Balances,
    Effect.map(BalancesPort.Balances, ({ on }) => ({
      on: (chainId: number, owner: Address.Address) => (chainId === silent ? Effect.never : on(chainId, owner))
    }))
  ).pipe(Layer.provideMerge(Balances.layer({ held: new Map([[OWNER, held]]) })))

const make = Effect.fnUntraced(function* (settings: {
  readonly held: ReadonlyArray<TokenBalance>
  readonly prices?: ReadonlyArray<readonly [Address.Address, bigint]>
  readonly declined?: ReadonlyMap<Address.Address, TokenDeclined["reason"]>
  readonly chains?: ReadonlyArray<Chain>
  /** A chain whose balances never come. */
  readonly silent?: number
}) {
  const usd = new Map(
    settings.prices ?? [
      [NATIVE, 2_000n * USD],
      [LISTED, USD],
      [STABLE, USD]
    ]
  )
  const tokens = settings.held.map(({ token: { address: at, chainId, decimals, symbol } }) => {
    const reason = settings.declined?.get(at)
    return {
      chainId,
      address: at,
      decimals,
      symbol,
      tier: "tier3" as const,
      ...(reason === undefined ? {} : { declined: reason })
    }
  })
  const context = yield* Layer.build(
    Portfolio.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          balancesWith(settings.silent, settings.held),
          Chains.layer(settings.chains ?? [one, two]),
          Prices.layer({ prices: new Map([one.id, two.id].map((id) => [id, usd])) }),
          TokenRisk.layer({ tokens }),
          OrchestratorSettings.layer(defaults)
        )
      )
    )
  )
  const service = Context.get(context, Portfolio)
  return {
    balances: Context.get(context, Balances.BalancesState),
    prices: Context.get(context, Prices.PricesState),
    tokenRisk: Context.get(context, TokenRisk.TokenRiskState),
    chain: Context.get(context, Chains.MemoryChains).get,
    portfolio: service.portfolio(OWNER),
    listed: service.prices,
    sweepable: service.sweepable(OWNER),
    sweepableToken: Effect.map(service.sweepable(OWNER), ({ tokens: [first] }) => {
      if (first === undefined) throw new Error("nothing is held")
      return first
    })
  }
})

const lst = (whole: bigint): TokenBalance => ({ token: LST, balance: whole * 10n ** 18n })

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
          { ...ETH, balance: 15n * 10n ** 17n, priceUsd: "2000", valueUsd: "3000", tier: "tier1" },
          { ...USDC, balance: 1_500_001n, priceUsd: "1", valueUsd: "1.500001", tier: "tier1" },
          { ...DUST, balance: 7n, priceUsd: null, valueUsd: null, tier: "tier3" },
          { ...LST, chainId: 2, balance: 10n ** 18n, priceUsd: "1", valueUsd: "1", tier: "tier2" }
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
