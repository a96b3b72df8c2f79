/** Contract of every source of prices. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import type { UsdPrice } from "../../../src/domain/Fees.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"

export interface Fixture {
  readonly chainId: ChainId
  /** At least two, one of them the native currency by its sentinel, with what they are worth. */
  readonly priced: ReadonlyArray<{
    readonly address: Address.Address
    readonly decimals: number
    readonly usd: UsdPrice
  }>
  readonly unpriced: { readonly address: Address.Address; readonly decimals: number }
  /** Tolerance of a price. */
  readonly toleranceBps: bigint
}

const near = (actual: bigint | undefined, expected: bigint, toleranceBps: bigint): boolean =>
  actual !== undefined &&
  (actual > expected ? actual - expected : expected - actual) * 10_000n <= expected * toleranceBps

export const suite = <R>(
  name: string,
  environment: Layer.Layer<Prices | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`Prices by ${name}`, (it) => {
    it.effect("prices whole tokens of any decimals, and leaves out what has no price", () =>
      Effect.gen(function* () {
        const { chainId, priced, toleranceBps, unpriced } = yield* fixture
        const prices = yield* (yield* Prices).usd(chainId, [...priced, unpriced])
        for (const { address, usd } of priced) {
          const price = prices.get(address)
          assert.isTrue(near(price, usd, toleranceBps), `${address} is worth ${usd}, not ${price}`)
        }
        assert.strictEqual(prices.size, priced.length)
      })
    )

    it.effect("names the sources of its prices, and the time when they were asked", () =>
      Effect.gen(function* () {
        const { chainId, priced, unpriced } = yield* fixture
        const service = yield* Prices
        const now = yield* Clock.currentTimeMillis
        const detailed = yield* service.detailed(chainId, [...priced, unpriced])
        const prices = yield* service.usd(chainId, [...priced, unpriced])
        assert.deepStrictEqual(
          Array.from(detailed, ([address, { usd }]) => [address, usd]),
          Array.from(prices)
        )
        for (const { readAtMs, sources } of detailed.values()) {
          assert.isAbove(sources.length, 0)
          assert.isAtMost(readAtMs, now)
        }
      })
    )

    it.effect("answers for what it was asked alone, in one request or several at once", () =>
      Effect.gen(function* () {
        const { chainId, priced } = yield* fixture
        const service = yield* Prices
        const together = yield* service.usd(chainId, priced)
        const apart = yield* Effect.forEach(priced, (token) => service.usd(chainId, [token]), {
          concurrency: "unbounded"
        })
        for (const [index, { address }] of priced.entries()) {
          assert.deepStrictEqual(Array.from(apart[index] ?? []), [[address, together.get(address)]])
        }
        assert.strictEqual((yield* service.usd(chainId, [])).size, 0)
      })
    )
  })
