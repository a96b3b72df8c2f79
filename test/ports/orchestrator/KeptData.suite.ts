/** Contract of every store that deletes old rows. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../../src/ports/orchestrator/KeptData.ts"
import { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import { address, hash, newIntent, submitted } from "../../support/IntentFixtures.ts"

const revenue = (sweepId: string) => ({
  _tag: "Revenue" as const,
  revenue: { sweepId, chainId: 1, token: address(0xa), amount: 0n, txHash: hash("tx"), settledAtMs: 1 }
})

/** A settled intent with one message for the builder backend. */
const told = Effect.fnUntraced(function* (id: string, owner: number) {
  yield* submitted({ id, owner })
  yield* (yield* Intents).apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }], { outbox: [revenue(id)] })
})

export const suite = (adapter: string, stores: Layer.Layer<Intents | KeptData | Outbox, unknown>) =>
  describe(`Kept data on ${adapter}`, () => {
    it.effect("deletes quotes that were never submitted, oldest first and no more than asked for", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { prune } = yield* KeptData
        const stored = Effect.fnUntraced(function* () {
          const found = yield* Effect.forEach(["a", "b", "c", "d"], intents.find)
          return found.flatMap(Option.toArray).map(({ id }) => id)
        })
        for (const [index, id] of ["a", "b", "c"].entries()) {
          yield* intents.create(newIntent({ id, owner: index + 1 }))
          yield* TestClock.adjust("1 second")
        }
        yield* submitted({ id: "d", owner: 4 })
        expect(yield* prune("quotes", 0, 10)).toBe(0)
        expect(yield* prune("quotes", 10_000, 1)).toBe(1)
        expect(yield* stored()).toEqual(["b", "c", "d"])
        expect(yield* prune("quotes", 2_000, 10)).toBe(1)
        expect(yield* prune("quotes", 10_000, 10)).toBe(1)
        expect(yield* prune("quotes", 10_000, 10)).toBe(0)
        expect(yield* stored()).toEqual(["d"])
        expect(yield* intents.counts).toMatchObject({ quoted: 0, submitted: 1 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("deletes acknowledged messages some time after their acknowledgement, and no others", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const { prune } = yield* KeptData
        for (const [index, id] of ["a", "b", "c"].entries()) yield* told(id, index + 1)
        const [a, b] = yield* outbox.claim({ topic: "ledger", limit: 10, leaseMillis: 1 })
        yield* TestClock.adjust("5 seconds")
        yield* outbox.acknowledge(a?.id ?? "")
        yield* outbox.reject(b?.id ?? "", "no")
        expect(yield* prune("messages", 5_000, 10)).toBe(0)
        expect(yield* prune("messages", 5_001, 10)).toBe(1)
        expect(yield* prune("messages", 5_001, 10)).toBe(0)
        expect(yield* outbox.counts).toEqual({ pending: 1, rejected: 1 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("deletes events that the receiver rejected some time after it did, and no bookings", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const outbox = yield* Outbox
        const { prune } = yield* KeptData
        yield* submitted({ id: "a", owner: 1, builderId: "bld" })
        yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("a") }], { outbox: [revenue("a")] })
        yield* TestClock.adjust("5 seconds")
        const rejected = yield* Effect.forEach(["ledger", "events"] as const, (topic) =>
          outbox.claim({ topic, limit: 10, leaseMillis: 1 })
        )
        yield* Effect.forEach(rejected.flat(), ({ id }) => outbox.reject(id, "no"))
        const events = rejected[1]?.length ?? 0
        expect(events).toBeGreaterThan(0)
        expect(yield* prune("rejections", 5_000, 10)).toBe(0)
        expect(yield* prune("rejections", 5_001, 10)).toBe(events)
        expect(yield* prune("rejections", 5_001, 10)).toBe(0)
        expect(yield* outbox.reopen(rejected[1]?.[0]?.id ?? "")).toBe("gone")
        expect(yield* outbox.counts).toEqual({ pending: 0, rejected: 1 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps the numbers of intents right while it sums them up", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { sumUp } = yield* KeptData
        yield* intents.create(newIntent({ id: "q", owner: 9 }))
        yield* submitted({ id: "a", owner: 1 })
        yield* sumUp
        yield* submitted({ id: "b", owner: 2 })
        yield* intents.apply("a", [{ _tag: "Failed", reason: "expired" }])
        const counts = { quoted: 1, submitted: 1, settled_source: 0, delivered: 0, failed: 1 }
        expect(yield* intents.counts).toEqual(counts)
        yield* Effect.all([sumUp, sumUp, sumUp], { concurrency: "unbounded" })
        expect(yield* intents.counts).toEqual(counts)
      }).pipe(Effect.provide(stores))
    )
  })
