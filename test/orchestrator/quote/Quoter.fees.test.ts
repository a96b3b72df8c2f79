/** Fees and the swapped amount add up to the input amount exactly, for any amount, markup, prices and gas. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref, Schema } from "effect"
import { MAX_UINT256 } from "../../../src/domain/Amount.ts"
import { LEAST_PRICE } from "../../../src/domain/Fees.ts"
import { Tier } from "../../../src/domain/Tier.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Bps } from "../../domain/Arbitraries.ts"
import * as Quoting from "../../support/Quoting.ts"

const between = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))

const Case = Schema.Struct({
  amountIn: Schema.Union([between(0n, 10n ** 6n), between(10n ** 18n, 10n ** 24n), between(0n, MAX_UINT256)]),
  tier: Tier,
  subscriptionActive: Schema.Boolean,
  builderBps: Bps,
  maxBuilderBps: Bps,
  tokenUsd: between(LEAST_PRICE, 10n ** 24n),
  nativeUsd: between(LEAST_PRICE, 10n ** 24n),
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
  gas: between(100_000n, 5_000_000n),
  gasPrice: between(1n, 10n ** 12n),
  isCrossChain: Schema.Boolean
})

describe("a quote's fees", () => {
  it.effect.prop("and the amount that is swapped make up the amount", [Case], ([sweep]) =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { source } = Quoting
      scene.script.gas = () => sweep.gas
      yield* (yield* scene.chain(source.id)).setFees({
        baseFeePerGas: sweep.gasPrice - 1n,
        maxPriorityFeePerGas: 1n,
        maxFeePerGas: 2n * sweep.gasPrice
      })
      yield* scene.attributes({ builderBps: sweep.builderBps, maxBuilderBps: sweep.maxBuilderBps })
      yield* Ref.set(scene.tokenRisk, {
        tokens: [{ chainId: source.id, address: Quoting.TOKEN, tier: "tier1", symbol: "T", decimals: sweep.decimals }],
        available: true
      })
      const prices = new Map([
        [Quoting.TOKEN, sweep.tokenUsd],
        [NATIVE, sweep.nativeUsd]
      ])
      yield* Ref.set(scene.prices, { prices: new Map([[source.id, prices]]), available: true })

      const { amountIn, subscriptionActive, tier } = sweep
      const offer = yield* scene
        .quote({
          ...(sweep.isCrossChain ? Quoting.crossChain : {}),
          amountIn,
          tier,
          subscriptionActive,
          apiKey: Quoting.KEY
        })
        .pipe(Effect.catchTag("QuoteFailed", (failed) => Effect.succeed(failed)))
      if ("_tag" in offer) {
        assert.strictEqual(offer.reason, "fees_exceed_input")
        assert.deepStrictEqual(scene.asked.created, [])
        return
      }
      const { order, quote } = offer
      const routed = (sweep.isCrossChain ? scene.asked.bridged : scene.asked.swaps).at(-1)?.amountIn
      assert.strictEqual(order.feeAmount + order.builderFee + (routed ?? 0n), amountIn)
      assert.isTrue(routed !== undefined && routed > 0n)
      assert.strictEqual(quote.total, order.feeAmount + order.builderFee)
      const markup = BigInt(Math.min(sweep.builderBps, sweep.maxBuilderBps))
      assert.strictEqual(order.builderFee, (amountIn * markup) / 10_000n)
      // Never less than the gas costs, and never more than the margin above what was simulated and assumed.
      const costs = (gas: bigint) =>
        (gas * sweep.gasPrice * sweep.nativeUsd * 10n ** BigInt(sweep.decimals)) / (10n ** 18n * sweep.tokenUsd)
      assert.isTrue(order.feeAmount >= costs(sweep.gas))
    })
  )
})
