/** Contract of every store of builders' sweeps. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { withEvent } from "../../../src/domain/Sweep.ts"
import type { SweepEvent } from "../../../src/domain/SweepEvent.ts"
import type { Builders } from "../../../src/ports/builder/Builders.ts"
import { Sweeps } from "../../../src/ports/builder/Sweeps.ts"
import { event, register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const DAY = 24 * 3_600_000

const life = (id: string): ReadonlyArray<SweepEvent> => [
  event("submitted", { id, atMs: 10 }),
  event("settled_source", { id, atMs: 20 }),
  event("delivered", { id, atMs: 30 })
]

export const suite = <E>(adapter: string, stores: () => Layer.Layer<Builders | Sweeps, E>) =>
  describe(`sweeps on ${adapter}`, () => {
    const test = (name: string, body: Effect.Effect<void, unknown, Builders | Sweeps>) =>
      it.effect(name, () => Effect.andThen(register, body).pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "keep an event once, however many report it at once",
      Effect.gen(function* () {
        const sweeps = yield* Sweeps
        const submitted = event("submitted")
        const booked = yield* Effect.forEach(Array.from({ length: 20 }), () => sweeps.record(submitted), {
          concurrency: "unbounded"
        })
        assert.strictEqual(booked.filter((each) => each === "added").length, 1)
        assert.deepStrictEqual(yield* sweeps.timeline("alpha", "intent"), [submitted])
        assert.deepStrictEqual(yield* sweeps.timeline("beta", "intent"), [])
        assert.deepStrictEqual(yield* sweeps.timeline("alpha", "other"), [])
        assert.deepStrictEqual(yield* sweeps.builderOf("intent"), Option.some("alpha"))
        assert.deepStrictEqual(yield* sweeps.builderOf("other"), Option.none())
      })
    )

    test(
      "refuse other content, another builder's intent and an unknown builder, and keep nothing of it",
      Effect.gen(function* () {
        const sweeps = yield* Sweeps
        const submitted = event("submitted")
        yield* sweeps.record(submitted)
        const refusals: ReadonlyArray<readonly [SweepEvent, string]> = [
          [{ ...submitted, amountIn: 1n }, "SweepConflict"],
          [{ ...submitted, builderId: "beta" }, "SweepConflict"],
          [event("delivered", { builderId: "beta" }), "SweepConflict"],
          [event("submitted", { id: "x", builderId: "nobody" }), "UnknownBuilder"]
        ]
        for (const [refused, tag] of refusals) {
          assert.strictEqual((yield* Effect.flip(sweeps.record(refused)))._tag, tag)
        }
        assert.deepStrictEqual(yield* sweeps.timeline("alpha", "intent"), [submitted])
        assert.deepStrictEqual(yield* sweeps.timeline("beta", "intent"), [])
        assert.deepStrictEqual(yield* sweeps.list("beta", { limit: 10 }), [])
      })
    )

    it.effect.prop(
      "add up to the same, in whatever order and however often events are reported",
      [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))).check(Schema.isMaxLength(12))],
      ([order]) =>
        Effect.gen(function* () {
          yield* register
          const sweeps = yield* Sweeps
          const all = [...life("one"), ...life("two")]
          const reported = order.flatMap((index) => all[index] ?? [])
          yield* Effect.forEach(reported, sweeps.record, { concurrency: 3 })
          const listed = yield* sweeps.list("alpha", { limit: 10 })
          for (const id of ["one", "two"]) {
            const own = reported.filter(({ intentId }) => intentId === id)
            const expected = own.reduce<ReturnType<typeof withEvent> | undefined>(withEvent, undefined)
            assert.deepStrictEqual(listed.find(({ sweep }) => sweep.intentId === id)?.sweep, expected)
            assert.deepStrictEqual(
              yield* sweeps.timeline("alpha", id),
              all.filter((each) => own.includes(each) && each.intentId === id)
            )
          }
        }).pipe(Effect.provide(Layer.fresh(stores()))),
      { arbitrary: { runs: 15 }, timeout: 120_000 }
    )

    test(
      "are listed in pages, newest first, by status and by chain",
      Effect.gen(function* () {
        const sweeps = yield* Sweeps
        for (const id of ["a", "b", "c"]) yield* sweeps.record(event("submitted", { id, chainId: 1, destChainId: 2 }))
        yield* sweeps.record(event("failed", { id: "a", chainId: 1, destChainId: 2 }))
        yield* sweeps.record(event("submitted", { id: "elsewhere", chainId: 3 }))
        yield* sweeps.record(event("submitted", { id: "beta's", builderId: "beta" }))
        const ids = (page: Parameters<typeof sweeps.list>[1]) =>
          Effect.map(sweeps.list("alpha", page), (rows) => rows.map(({ sweep }) => sweep.intentId))
        assert.deepStrictEqual(yield* ids({ limit: 10 }), ["elsewhere", "c", "b", "a"])
        const [, second] = yield* sweeps.list("alpha", { limit: 2 })
        assert.deepStrictEqual(yield* ids({ limit: 10, before: second?.cursor ?? "" }), ["b", "a"])
        assert.deepStrictEqual(yield* ids({ limit: 10, status: "failed" }), ["a"])
        assert.deepStrictEqual(yield* ids({ limit: 10, status: "submitted", chainId: 2 }), ["c", "b"])
        assert.deepStrictEqual(yield* ids({ limit: 10, chainId: 3 }), ["elsewhere"])
        assert.deepStrictEqual(yield* ids({ limit: 10, status: "delivered" }), [])
        const found = yield* sweeps.find("alpha", "a")
        assert.deepStrictEqual(
          Option.toArray(found),
          (yield* sweeps.list("alpha", { limit: 10 })).slice(-1).map(({ sweep }) => sweep)
        )
        assert.isTrue(Option.isNone(yield* sweeps.find("beta", "a")))
        assert.isTrue(Option.isNone(yield* sweeps.find("alpha", "nothing")))
      })
    )

    test(
      "are filtered by token, chain and time on either side, and found by owner, transaction and id",
      Effect.gen(function* () {
        const sweeps = yield* Sweeps
        const across = event("settled_source", { id: "across", chainId: 1, destChainId: 2, atMs: 3_000 })
        const onOne = event("settled_source", { id: "on one", chainId: 1, atMs: 2_000 })
        const first = event("settled_source", { id: "first", chainId: 3, atMs: 1_000 })
        const others = { owner: address(0x77), tokenIn: address(0x78) }
        const delivered = event("delivered", { id: "across", chainId: 1, destChainId: 2, atMs: 4_000 })
        const events = [first, { ...across, tokenOut: address(0x79) }, { ...onOne, ...others }]
        for (const each of events) yield* sweeps.record(each)
        yield* sweeps.record({ ...delivered, tokenOut: address(0x79) })
        yield* sweeps.record({ ...event("submitted", { id: "beta's", builderId: "beta" }), ...others })
        const ids = (page: Partial<Parameters<typeof sweeps.list>[1]>) =>
          Effect.map(sweeps.list("alpha", { limit: 10, ...page }), (rows) => rows.map(({ sweep }) => sweep.intentId))
        // Sweeps are ordered by their start, whatever the order of the reports.
        assert.deepStrictEqual(yield* ids({}), ["across", "on one", "first"])
        assert.deepStrictEqual(yield* ids({ fromMs: 1_000, toMs: 3_000 }), ["on one", "first"])
        assert.deepStrictEqual(yield* ids({ token: first.tokenIn }), ["across", "first"])
        assert.deepStrictEqual(yield* ids({ token: others.tokenIn, status: "settled_source" }), ["on one"])
        assert.deepStrictEqual(yield* ids({ token: others.tokenIn, status: "delivered" }), [])
        assert.deepStrictEqual(yield* ids({ token: first.tokenOut }), ["on one", "first"])
        assert.deepStrictEqual(yield* ids({ token: first.tokenOut, chainId: 1 }), ["on one"])
        // The token that is sent on one chain is not that which arrives on the other.
        assert.deepStrictEqual(yield* ids({ token: first.tokenIn, chainId: 2 }), [])
        assert.deepStrictEqual(yield* ids({ chainId: 1, limit: 1 }), ["across"])
        const [newest] = yield* sweeps.list("alpha", { chainId: 1, limit: 1 })
        assert.deepStrictEqual(yield* ids({ chainId: 1, before: newest?.cursor ?? "" }), ["on one"])
        assert.deepStrictEqual(yield* ids({ search: { _tag: "Address", address: others.owner } }), ["on one"])
        assert.deepStrictEqual(yield* ids({ search: { _tag: "Id", id: "first" }, chainId: 1 }), [])
        assert.deepStrictEqual(yield* ids({ search: { _tag: "Id", id: "beta's" } }), [])
        for (const name of ["tx across", "delivery across"]) {
          assert.deepStrictEqual(yield* ids({ search: { _tag: "Hash", hash: hash(name) } }), ["across"])
        }
        const settled = yield* sweeps.ofTransactions("alpha", [hash("tx first"), hash("unknown")])
        assert.deepStrictEqual(settled, [{ intentId: "first", txHash: hash("tx first"), builderFee: first.builderFee }])
        assert.deepStrictEqual(yield* sweeps.ofTransactions("beta", [hash("tx first")]), [])
      })
    )

    test(
      "are counted by the day on which they started",
      Effect.gen(function* () {
        const sweeps = yield* Sweeps
        const first = [
          event("submitted", { id: "a", atMs: DAY - 1 }),
          event("delivered", { id: "a", atMs: DAY + 1 }),
          event("submitted", { id: "b", atMs: DAY }),
          event("failed", { id: "b", atMs: DAY + 5 }),
          event("submitted", { id: "c", atMs: DAY }),
          event("delivered", { id: "d", atMs: DAY + 7, chainId: 9 }),
          event("submitted", { id: "too late", atMs: 2 * DAY })
        ]
        yield* Effect.forEach(first, sweeps.record)
        const { amountIn, tokenIn: token } = event("submitted")
        assert.deepStrictEqual(yield* sweeps.totals("alpha", { fromMs: 0, toMs: 2 * DAY }), {
          counts: { submitted: 1, settled_source: 0, delivered: 2, failed: 1 },
          volume: [
            { chainId: 1, token, amount: amountIn, sweeps: 1 },
            { chainId: 9, token, amount: amountIn, sweeps: 1 }
          ],
          days: [
            { day: "1970-01-02", sweeps: 3, delivered: 1, failed: 1 },
            { day: "1970-01-01", sweeps: 1, delivered: 1, failed: 0 }
          ]
        })
        const within = yield* sweeps.totals("alpha", { fromMs: DAY - 1, toMs: DAY + 7 })
        assert.deepStrictEqual(within.counts, { submitted: 1, settled_source: 0, delivered: 1, failed: 1 })
        assert.deepStrictEqual(within.volume, [{ chainId: 1, token, amount: amountIn, sweeps: 1 }])
        assert.deepStrictEqual(within.days, [
          { day: "1970-01-02", sweeps: 2, delivered: 0, failed: 1 },
          { day: "1970-01-01", sweeps: 1, delivered: 1, failed: 0 }
        ])
        const later = yield* sweeps.totals("alpha", { fromMs: DAY + 1, toMs: 2 * DAY + 1 })
        assert.deepStrictEqual(later.counts, { submitted: 1, settled_source: 0, delivered: 1, failed: 0 })
        const other = yield* sweeps.totals("beta", { fromMs: 0, toMs: 2 * DAY })
        assert.deepStrictEqual(other, {
          counts: { submitted: 0, settled_source: 0, delivered: 0, failed: 0 },
          volume: [],
          days: []
        })
      })
    )
  })
