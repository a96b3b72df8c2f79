import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Ref } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import * as Fees from "../../../src/domain/Fees.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { detailsOf } from "../../../src/domain/QuoteDetails.ts"
import { digest, typedData } from "../../../src/domain/SweepOrder.ts"
import type { Tier } from "../../../src/domain/Tier.ts"
import * as Usd from "../../../src/domain/Usd.ts"
import { executionLimit } from "../../../src/domain/RelayGas.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import * as Quoting from "../../support/Quoting.ts"

const { DESTINATION, OWNER, STABLE, TARGET, TOKEN, WHOLE, source } = Quoting

/** The network fee of this much gas, and of wei beside it, at the scene's prices, in the token of the default request. */
const networkFee = (gas: bigint, beside = 0n) =>
  Fees.networkFee(defaults.fees, {
    cost: gas * Quoting.GAS_PRICE + beside,
    nativeUsd: Quoting.NATIVE_USD,
    tokenUsd: Quoting.USD,
    tokenDecimals: 18
  })

const protocolFee = (tier: Tier, subscriptionActive = false) =>
  Fees.protocolFee(defaults.fees, { amountIn: 100n * WHOLE, tier, subscriptionActive })

describe("a quote on one chain", () => {
  it.effect("is the order with all that a client needs to check and sign it", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* (yield* scene.chain(source.id)).setTransactionCount(OWNER, 4n, 6n)
      const { order, quote, signing } = yield* scene.quote()
      const feeAmount = protocolFee("tier2") + networkFee(225_000n)
      const swapAmount = 100n * WHOLE - feeAmount
      assert.deepStrictEqual(order, {
        owner: OWNER,
        tokenIn: TOKEN,
        amountIn: 100n * WHOLE,
        feeAmount,
        builder: Address.zero,
        builderFee: 0n,
        tokenOut: STABLE,
        minAmountOut: swapAmount - swapAmount / 100n,
        destination: DESTINATION,
        swapTarget: TARGET,
        swapCalldata: `0x${swapAmount.toString(16).padStart(64, "0")}`,
        deadline: 1_700_000_720n,
        nonce: bound(source.contracts.guard, 0n),
        destChainId: 1n
      })
      assert.deepStrictEqual(quote, {
        id: quote.id,
        crossChain: false,
        expiresAtMs: Quoting.NOW + 120_000,
        total: feeAmount,
        settlementAddress: source.contracts.delegate,
        sourceChainId: source.id,
        // The scripted rehearsal delivers the minimum, which then has no tolerance.
        estimatedAmountOut: order.minAmountOut,
        minAmountOut: order.minAmountOut,
        provider: "venue",
        estimatedSeconds: 5,
        ...detailsOf({
          tier: "tier2",
          fees: { protocol: protocolFee("tier2"), network: networkFee(225_000n), builder: 0n },
          swapAmount,
          minAmountOut: order.minAmountOut,
          estimatedAmountOut: order.minAmountOut,
          tokenIn: { usd: Quoting.USD, feeUsd: Quoting.USD, decimals: 18 },
          tokenOut: { usd: Quoting.USD, decimals: 6 }
        })
      })
      assert.match(quote.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepStrictEqual(signing, {
        typedData: typedData(order, { name: defaults.domainName, chainId: source.id }),
        authorization: { address: source.contracts.delegate, chainId: source.id, nonce: 6n }
      })
      assert.deepStrictEqual(scene.asked.swaps, [
        {
          chainId: source.id,
          tokenIn: TOKEN,
          tokenOut: STABLE,
          amountIn: swapAmount,
          sender: OWNER,
          recipient: DESTINATION,
          // Nothing is measured.
          slippageBps: 50,
          withoutServices: false,
          divisible: true,
          deadline: order.deadline
        }
      ])
      assert.deepStrictEqual(scene.asked.simulated, [order])
    })
  )

  it.effect("tells each fee, the tier, the price impact and values in US dollars", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      // One whole token of 18 decimals buys as many units of one with 6.
      yield* Ref.update(scene.prices, (state) => ({
        ...state,
        prices: new Map([
          [
            source.id,
            new Map([...(state.prices.get(source.id) ?? []), [STABLE, (Quoting.USD * 99n) / 100n / 10n ** 12n]])
          ]
        ])
      }))
      const { order, quote } = yield* scene.quote({ tier: "tier3", apiKey: Quoting.KEY })
      const protocol = protocolFee("tier3")
      const network = networkFee(225_000n)
      assert.deepStrictEqual(quote.feeBreakdown, {
        protocol: { amount: protocol, usd: "1" },
        network: { amount: network, usd: Usd.format(network) },
        builder: { amount: order.builderFee, usd: "0.3" }
      })
      assert.strictEqual(protocol + network, order.feeAmount)
      assert.strictEqual(quote.appliedTier, "tier3")
      // 1 % by the price, and 1 % of the rest in the rehearsal.
      assert.strictEqual(quote.priceImpactBps, 199)
      const value = (amount: bigint) => Usd.format(Usd.valueOf(amount, (Quoting.USD * 99n) / 100n / 10n ** 12n, 6))
      assert.strictEqual(quote.minAmountOutUsd, value(quote.minAmountOut))
      assert.strictEqual(quote.estimatedAmountOutUsd, value(quote.estimatedAmountOut))
    })
  )

  it.effect("has no values of an output without a price, or that is no token", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const unpriced = { priceImpactBps: null, minAmountOutUsd: null, estimatedAmountOutUsd: null }
      yield* Ref.update(scene.prices, (state) => ({
        ...state,
        prices: new Map([
          [source.id, new Map([...(state.prices.get(source.id) ?? [])].filter(([token]) => token !== STABLE))]
        ])
      }))
      const { quote } = yield* scene.quote()
      assert.include(quote, unpriced)
      assert.isDefined(quote.feeBreakdown)
      assert.include((yield* scene.quote({ ...Quoting.crossChain, tokenOut: Quoting.PAYOUT })).quote, unpriced)
    })
  )

  it.effect("is routed with the slippage tolerance of the request", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* scene.quote({ slippageBps: 7 })
      yield* scene.quote({ ...Quoting.crossChain, slippageBps: 8 })
      assert.deepStrictEqual(
        [...scene.asked.swaps, ...scene.asked.bridged].map(({ slippageBps }) => slippageBps),
        [7, 8]
      )
    })
  )

  it.effect("is stored, with what settles and pays it, before it is offered", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({ settings: { domainName: "Renamed" } })
      const chain = yield* scene.chain(source.id)
      yield* chain.mine()
      yield* chain.mine()
      scene.script.gas = () => 230_000n
      const { order, quote } = yield* scene.quote({ userId: "somebody" })
      const stored = Option.getOrThrow(yield* scene.intents.find(quote.id))
      assert.strictEqual(stored.status, "quoted")
      assert.deepStrictEqual(scene.asked.created, [
        {
          quote,
          order,
          orderDigest: digest(order, { name: "Renamed", chainId: source.id }),
          quotedAtBlock: 2n,
          gas: executionLimit(230_000n),
          cover: {
            gas: 230_000n,
            gasPrice: Quoting.GAS_PRICE,
            // Priced at the assumed gas, with the margin.
            value: (225_000n * Quoting.GAS_PRICE * 12n) / 10n
          },
          userId: "somebody"
        }
      ])
    })
  )

  it.effect("expires and settles as the settings say, the deadline in whole seconds", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({ settings: { quoteLifetimeMillis: 10_013, orderGraceSeconds: 5 } })
      const { order, quote } = yield* scene.quote()
      assert.strictEqual(quote.expiresAtMs, 1_700_000_011_000)
      assert.strictEqual(order.deadline, 1_700_000_016n)
    })
  )

  it.effect("wraps native input: prices and fees are of the currency, the route is of the wrapped token", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { order } = yield* scene.quote({ tokenIn: NATIVE, amountIn: WHOLE })
      assert.strictEqual(order.tokenIn, NATIVE)
      assert.strictEqual(scene.asked.swaps[0]?.tokenIn, source.wrappedNative)
      // Gas is paid in the currency itself: only the margin is added.
      assert.strictEqual(order.feeAmount, WHOLE / 400n + (225_000n * Quoting.GAS_PRICE * 12n) / 10n)
    })
  )

  it.effect("takes native output as it was named", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { order } = yield* scene.quote({ tokenOut: NATIVE })
      assert.strictEqual(order.tokenOut, NATIVE)
      assert.strictEqual(scene.asked.swaps[0]?.tokenOut, NATIVE)
    })
  )

  it.effect("raises the tier to what the token is, and never lowers what the caller says", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const feeOf = (tier: Tier, subscriptionActive = false) =>
        Effect.map(scene.quote({ tier, subscriptionActive }), ({ order }) => order.feeAmount - networkFee(225_000n))
      // The token is of tier 2.
      assert.strictEqual(yield* feeOf("tier1"), protocolFee("tier2"))
      assert.strictEqual(yield* feeOf("tier2"), protocolFee("tier2"))
      assert.strictEqual(yield* feeOf("tier3"), protocolFee("tier3"))
      assert.strictEqual(yield* feeOf("tier3", true), protocolFee("tier3") / 2n)
    })
  )

  it.effect("sells an account that is delegated already, to us or to others, like a plain one", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const chain = yield* scene.chain(source.id)
      for (const delegate of [source.contracts.delegate, Quoting.PAYOUT]) {
        yield* chain.setCode(OWNER, `0xef0100${delegate.slice(2).toLowerCase()}`)
        assert.strictEqual((yield* scene.quote()).quote.settlementAddress, source.contracts.delegate)
      }
    })
  )
})
