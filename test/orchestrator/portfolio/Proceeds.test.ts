/** Portfolios of tokens that have a price, by what they sell for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { SaleEstimate } from "../../../src/domain/SaleWorth.ts"
import type { TokenBalance } from "../../../src/ports/orchestrator/Balances.ts"
import { type Sale, SaleEstimates } from "../../../src/ports/orchestrator/SaleEstimates.ts"
import { address } from "../../support/FakeChain.ts"
import { LISTED, STABLE, lst, make, one, token } from "./portfolioScene.ts"

const dollars = (amount: bigint): SaleEstimate => ({
  _tag: "Paid",
  outputs: [{ token: STABLE, amount: amount * 10n ** 6n }]
})

/** Judgement of 100 tokens with a price of one dollar by both portfolios, and the estimates that were asked for. */
const judged = Effect.fnUntraced(function* (estimate: Effect.Effect<SaleEstimate | undefined>) {
  const asked: Array<ReadonlyArray<Sale>> = []
  const of = (_chainId: number, sales: ReadonlyArray<Sale>) => {
    asked.push(sales)
    return Effect.map(
      estimate,
      (known) => new Map<Address.Address, SaleEstimate>(known === undefined ? [] : [[LISTED, known]])
    )
  }
  const { portfolio, sweepable } = yield* make({
    held: [
      lst(100n),
      { token: token(1, NATIVE, 18, "ETH"), balance: 10n ** 18n },
      { token: token(1, one.wrappedNative, 18, "WETH"), balance: 10n ** 18n },
      { token: token(1, STABLE, 6, "USDC"), balance: 10n ** 8n },
      { token: token(1, address(0x72), 18, "Visit claim-now.xyz"), balance: 10n ** 18n, voucher: "none" }
    ],
    chains: [one]
  }).pipe(Effect.provideService(SaleEstimates, { of }))
  const views = yield* Effect.forkChild(Effect.all([portfolio, sweepable]))
  for (let step = 0; step < 20; step++) yield* TestClock.adjust("100 millis")
  const [shown, all] = yield* Fiber.join(views)
  const [first] = all.tokens
  const [cheap] = shown.tokens
  assert.deepStrictEqual([shown.unavailableChains, all.unavailableChains], [undefined, undefined])
  assert.strictEqual(first?.reason ?? undefined, cheap?.reason ?? undefined)
  return {
    asked,
    reason: first?.reason,
    worth: cheap?.worthSweeping,
    netUsd: first?.estimatedNetUsd,
    net: first?.estimatedNetAmount
  }
})

describe("a token with a price", () => {
  it.effect("is not worth sweeping if no exchange buys it", () =>
    Effect.gen(function* () {
      const { asked, net, reason, worth } = yield* judged(Effect.succeed({ _tag: "NoRoute" }))
      assert.deepStrictEqual([reason, worth, net], ["no_route", false, 0n])
      const sale = [{ token: LISTED, amount: 100n * 10n ** 18n, isListed: true }]
      assert.deepStrictEqual(asked, [sale, sale])
    })
  )

  it.effect("is not worth sweeping if its pools pay less than the fees for the balance", () =>
    Effect.gen(function* () {
      // The network fee is 1.08 dollars.
      assert.strictEqual((yield* judged(Effect.succeed(dollars(1n)))).reason, "worth_less_than_fees")
      assert.isTrue((yield* judged(Effect.succeed(dollars(2n)))).worth)
    })
  )

  it.effect("is worth what its pools pay, and never more than its price", () =>
    Effect.gen(function* () {
      const half = yield* judged(Effect.succeed(dollars(50n)))
      assert.deepStrictEqual([half.worth, half.reason, half.netUsd], [true, null, "48.96"])
      const lure = yield* judged(Effect.succeed(dollars(10n ** 9n)))
      assert.strictEqual(lure.netUsd, "97.92")
    })
  )

  it.effect("is judged by its price while the exchanges do not answer, and delays no answer beyond its limit", () =>
    Effect.gen(function* () {
      for (const silent of [Effect.never, Effect.succeed(undefined)]) {
        const { netUsd, worth } = yield* judged(silent)
        assert.deepStrictEqual([worth, netUsd], [true, "97.92"])
      }
    })
  )
})

describe("an unlisted token with a price", () => {
  const airdrop: TokenBalance = { token: token(1, LISTED, 18, "AIR"), balance: 1_000n * 10n ** 18n, voucher: "none" }
  const elsewhere = { ...one, tokens: one.tokens.filter(({ address: at }) => at !== LISTED) }

  /** Values of 1,000 unlisted tokens with a price of one dollar, and the sums with 5 dollars beside them. */
  const valued = Effect.fnUntraced(function* (estimate: SaleEstimate | undefined, held = airdrop) {
    const of = () =>
      Effect.succeed(new Map<Address.Address, SaleEstimate>(estimate === undefined ? [] : [[LISTED, estimate]]))
    const { portfolio, sweepable } = yield* make({
      held: [held, { token: token(1, STABLE, 6, "USDC"), balance: 5_000_000n }],
      chains: [elsewhere]
    }).pipe(Effect.provideService(SaleEstimates, { of }))
    const [shown, all] = yield* Effect.all([portfolio, sweepable])
    assert.deepStrictEqual(
      [shown.totalUsd, shown.tokens[0]?.valueUsd],
      [all.totalUsd, all.tokens[0]?.valueUsd],
      "both portfolios agree"
    )
    return [shown.tokens[0]?.priceUsd, shown.tokens[0]?.valueUsd, shown.totalUsd]
  })

  it.effect("is worth what a sale of it pays, and never more than its price", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* valued(dollars(2n)), ["1", "2", "7"])
      assert.deepStrictEqual(yield* valued(dollars(10n ** 9n)), ["1", "1000", "1005"])
    })
  )

  it.effect("does not count for the sum while it is not known what a sale pays, or without a buyer", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* valued(undefined), ["1", "1000", "5"])
      assert.deepStrictEqual(yield* valued({ _tag: "NoRoute" }), ["1", "1000", "5"])
    })
  )

  it.effect("is unlike one of a list, which counts by its price", () =>
    Effect.gen(function* () {
      const listed = { ...airdrop, voucher: "list" as const }
      assert.deepStrictEqual(yield* valued(undefined, listed), ["1", "1000", "1005"])
      assert.deepStrictEqual(yield* valued(dollars(2n), listed), ["1", "1000", "1005"])
    })
  )
})
