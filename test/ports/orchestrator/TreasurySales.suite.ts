/** Contract of every store of the treasury. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type { NewSale, StoredSale } from "../../../src/domain/Treasury.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { TreasurySales } from "../../../src/ports/orchestrator/TreasurySales.ts"
import { address, hash, submitted } from "../../support/IntentFixtures.ts"

const SELLER = address(0xfee)

const newSale = (token: number, amount = 10n, rest = 0n): NewSale => ({
  chainId: 1,
  seller: SELLER,
  token: address(token),
  asset: address(0xa55e7),
  amount,
  rest
})

/** Opens sales in a round of their own. */
const opened = Effect.fnUntraced(function* (...sales: ReadonlyArray<NewSale>) {
  const found = yield* (yield* TreasurySales).openRound({ sales, refused: [] })
  return yield* Effect.fromOption(found)
})

const first = (sales: ReadonlyArray<StoredSale>) => Effect.fromOption(Option.fromUndefinedOr(sales[0]))

/** A sale with an intent, which is not stored. */
const offered = Effect.fnUntraced(function* (sale: StoredSale, intentId: string, feeAmount = 1n) {
  return yield* Effect.fromOption(yield* (yield* TreasurySales).offer(sale, { intentId, feeAmount }))
})

const settled = { _tag: "SettledAtSource", txHash: hash("tx") } as const
const refusal = { reason: "no_route", detail: "no pool\0 at all" } as const

export const suite = (adapter: string, stores: Layer.Layer<Intents | TreasurySales, unknown>) =>
  describe(`Sales of the treasury on ${adapter}`, () => {
    it.effect("collect the fees of settled sweeps, once for each", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const sales = yield* TreasurySales
        for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) {
          yield* submitted({ id, owner: index + 1, ...(id === "e" ? { chainId: 2 } : { destChainId: 10 }) })
        }
        assert.deepStrictEqual(yield* sales.collected, [])
        yield* intents.applyAll([
          { id: "a", events: [settled] },
          { id: "b", events: [settled, { _tag: "Delivered", txHash: hash("fill") }] },
          { id: "c", events: [{ _tag: "Failed", reason: "reverted" }] },
          { id: "e", events: [settled, { _tag: "Delivered", txHash: hash("tx") }] }
        ])
        yield* intents.apply("a", [{ _tag: "Failed", reason: "bridge_refunded" }])
        const book = { delegate: address(0xde1e), token: address(0xa) }
        const sums = [
          { chainId: 1, ...book, amount: 6n, sweeps: 2 },
          { chainId: 2, ...book, amount: 3n, sweeps: 1 }
        ]
        assert.deepStrictEqual(byChain(yield* sales.collected), sums)
        yield* Effect.all([sales.sumUp, sales.sumUp], { concurrency: "unbounded" })
        assert.deepStrictEqual(byChain(yield* sales.collected), sums)
        yield* intents.apply("d", [settled])
        yield* sales.sumUp
        assert.deepStrictEqual(
          byChain(yield* sales.collected).map(({ amount }) => amount),
          [9n, 3n]
        )
      }).pipe(Effect.provide(stores))
    )

    it.effect("do not collect the fee that a sale pays to its own seller", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const sales = yield* TreasurySales
        const sale = yield* first(yield* opened(newSale(1)))
        yield* submitted({ id: "own" })
        yield* offered(sale, "own", 3n)
        yield* intents.apply("own", [settled])
        assert.deepStrictEqual(yield* sales.collected, [])
      }).pipe(Effect.provide(stores))
    )

    it.effect("are open once for each token, whichever round plans them", () =>
      Effect.gen(function* () {
        const sales = yield* TreasurySales
        const both = yield* opened(newSale(1), newSale(2))
        assert.deepStrictEqual(
          both.map(({ state, token, version }) => ({ state, token, version })),
          [1, 2].map((token) => ({ state: "planned", token: address(token), version: 0 }))
        )
        const [third] = yield* opened(newSale(2, 99n), newSale(3))
        assert.strictEqual(third?.token, address(3))
        assert.deepStrictEqual(
          (yield* sales.open).map(({ amount, token }) => [token, amount]),
          [1, 2, 3].map((token) => [address(token), 10n])
        )
        assert.deepStrictEqual(
          (yield* sales.recent(2)).map(({ token }) => token),
          [address(3), address(2)]
        )
      }).pipe(Effect.provide(stores))
    )

    it.effect("open no round soon after another one, unless it is asked for", () =>
      Effect.gen(function* () {
        const sales = yield* TreasurySales
        assert.isTrue(Option.isNone(yield* sales.lastRoundAtMs))
        yield* TestClock.adjust("1 hour")
        const rounds = yield* Effect.all(
          [1, 2, 3].map((token) => sales.openRound({ unlessSinceMs: 1, sales: [newSale(token)], refused: [] })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(rounds.filter(Option.isSome).length, 1)
        assert.strictEqual((yield* sales.open).length, 1)
        assert.deepStrictEqual(yield* sales.lastRoundAtMs, Option.some(3_600_000))
        yield* TestClock.adjust("1 second")
        assert.isTrue(Option.isNone(yield* sales.openRound({ unlessSinceMs: 3_600_000, sales: [], refused: [] })))
        assert.isTrue(Option.isSome(yield* sales.openRound({ unlessSinceMs: 3_600_001, sales: [], refused: [] })))
        assert.isTrue(Option.isSome(yield* sales.openRound({ sales: [], refused: [] })))
        assert.deepStrictEqual(yield* sales.lastRoundAtMs, Option.some(3_601_000))
      }).pipe(Effect.provide(stores))
    )

    it.effect("are due for the first time since the first look, whoever looks later", () =>
      Effect.gen(function* () {
        const { firstDueAtMs } = yield* TreasurySales
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* firstDueAtMs, 3_600_000)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* firstDueAtMs, 3_600_000)
      }).pipe(Effect.provide(stores))
    )

    it.effect("are leased to one process, and due again when the lease ends", () =>
      Effect.gen(function* () {
        const sales = yield* TreasurySales
        const [a, b] = yield* opened(newSale(1), newSale(2))
        if (a === undefined || b === undefined) return yield* Effect.die("no sales")
        const claims = yield* Effect.all(
          [1, 2, 3].map(() => sales.claim({ leaseMillis: 30_000, limit: 1 })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          claims
            .flat()
            .map(({ id }) => id)
            .toSorted(),
          [a.id, b.id].toSorted()
        )
        yield* sales.postpone(b, 90_000)
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(
          (yield* sales.claim({ leaseMillis: 1, limit: 10 })).map(({ id }) => id),
          [a.id]
        )
        yield* TestClock.adjust("60 seconds")
        assert.lengthOf(yield* sales.claim({ leaseMillis: 1, limit: 10 }), 2)
      }).pipe(Effect.provide(stores))
    )

    it.effect("take one intent, of however many processes that choose one", () =>
      Effect.gen(function* () {
        const sales = yield* TreasurySales
        const sale = yield* first(yield* opened(newSale(1)))
        const offers = yield* Effect.all(
          ["x", "y", "z"].map((intentId) => sales.offer(sale, { intentId, feeAmount: 2n })),
          { concurrency: "unbounded" }
        )
        const [chosen, ...others] = offers.flatMap(Option.toArray)
        assert.lengthOf(others, 0)
        assert.deepInclude(chosen, { state: "offered", feeAmount: 2n, version: 1 })
        assert.isFalse(yield* sales.replan(sale, 0))
        assert.isFalse(yield* sales.fail(sale, refusal))
        if (chosen === undefined) return yield* Effect.die("no offer")
        assert.isTrue(yield* sales.replan(chosen, 0))
        const [planned] = yield* sales.open
        assert.deepInclude(planned, { state: "planned", version: 2 })
        assert.isUndefined(planned?.intentId)
        assert.isUndefined(planned?.feeAmount)
      }).pipe(Effect.provide(stores))
    )

    it.effect("settle with their proof, forget the failures and plan the next lot", () =>
      Effect.gen(function* () {
        const sales = yield* TreasurySales
        yield* sales.openRound({
          sales: [newSale(1, 10n, 15n)],
          refused: [1, 2].map((token) => ({ chainId: 1, token: address(token), ...refusal }))
        })
        const sale = yield* first(yield* sales.open)
        const proof = { amountOut: 2n ** 200n, txHash: hash("sold") }
        assert.isFalse(yield* sales.settle(sale, proof))
        const current = yield* offered(sale, "x", 4n)
        const next = { amount: 7n, rest: 8n, dueAtMs: 60_000 }
        const outcomes = yield* Effect.all(
          [1, 2].map(() => sales.settle(current, proof, next)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(outcomes.toSorted(), [false, true])
        assert.deepStrictEqual(
          (yield* sales.failures).map(({ failures, token }) => [token, failures]),
          [[address(2), 1]]
        )
        const [planned, ended] = yield* sales.recent(3)
        assert.deepInclude(ended, { state: "settled", ...proof, intentId: "x" })
        assert.deepInclude(planned, { state: "planned", amount: 7n, rest: 8n, token: address(1), seller: SELLER })
        assert.deepStrictEqual(yield* sales.claim({ leaseMillis: 1, limit: 1 }), [])
        const book = { chainId: 1, seller: SELLER, token: address(1), asset: address(0xa55e7) }
        assert.deepStrictEqual(yield* sales.sold, [{ ...book, amount: 6n, amountOut: 2n ** 200n, sales: 1 }])
      }).pipe(Effect.provide(stores))
    )

    it.effect("count their failures by token until one settles", () =>
      Effect.gen(function* () {
        const sales = yield* TreasurySales
        const sale = yield* first(yield* opened(newSale(1)))
        assert.isTrue(yield* sales.fail(sale, refusal))
        assert.isFalse(yield* sales.fail(sale, refusal))
        yield* TestClock.adjust("1 minute")
        const again = yield* first(yield* opened(newSale(1)))
        assert.isTrue(yield* sales.fail(yield* offered(again, "x"), { reason: "sale_failed", detail: "reverted" }))
        assert.deepStrictEqual(yield* sales.failures, [
          { chainId: 1, token: address(1), failures: 2, reason: "sale_failed", detail: "reverted", failedAtMs: 60_000 }
        ])
        assert.deepStrictEqual(yield* sales.open, [])
        assert.deepStrictEqual(yield* sales.sold, [])
        const [last] = yield* sales.recent(1)
        assert.deepInclude(last, { state: "failed", reason: "sale_failed", intentId: "x" })
      }).pipe(Effect.provide(stores))
    )
  })

const byChain = <A extends { readonly chainId: number }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => a.chainId - b.chainId)
