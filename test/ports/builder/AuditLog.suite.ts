/** Contract of every audit log. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type AuditFilter, AuditLog } from "../../../src/ports/builder/AuditLog.ts"

export const suite = <E>(adapter: string, stores: () => Layer.Layer<AuditLog, E>) =>
  describe(`the audit log on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, AuditLog>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "the audit log is read from its newest record on",
      Effect.gen(function* () {
        const audit = yield* AuditLog
        for (const subject of ["1", "2", "3"]) {
          yield* TestClock.adjust(10)
          yield* audit.append({ actor: "ann", action: "act", subject, details: { note: "a", count: 1, done: true } })
        }
        const [newest, second] = yield* audit.list({ limit: 2 })
        assert.deepInclude(newest, {
          actor: "ann",
          action: "act",
          subject: "3",
          atMs: 30,
          details: { note: "a", count: 1, done: true }
        })
        const rest = yield* audit.list({ limit: 9, ...(second === undefined ? {} : { before: second.id }) })
        assert.deepStrictEqual(
          rest.map(({ subject }) => subject),
          ["1"]
        )
      })
    )

    test(
      "the audit log is read by who acted, by the change, by its subject and by its time, in pages",
      Effect.gen(function* () {
        const audit = yield* AuditLog
        yield* audit.append({ actor: "ann", action: "builder.patch", subject: "acme", details: {} })
        for (const subject of ["1", "2", "3", "4"]) {
          yield* TestClock.adjust(10)
          yield* audit.append({ actor: "builder:acme", action: "webhook.patch", subject, details: {} })
        }
        yield* TestClock.adjust(10)
        yield* audit.append({ actor: "builder:acme_2", action: "builder.create_key", subject: "acme_2", details: {} })
        yield* TestClock.adjust(10)
        yield* audit.append({ actor: "bob", action: "payout.open", subject: "batch", details: {} })

        const subjects = (filter: AuditFilter, page: { readonly before?: string; readonly limit?: number } = {}) =>
          Effect.map(audit.list({ limit: 9, ...page, ...filter }), (records) => records.map(({ subject }) => subject))
        assert.deepStrictEqual(yield* subjects({ by: "operators" }), ["batch", "acme"])
        assert.deepStrictEqual(yield* subjects({ by: "builders" }), ["acme_2", "4", "3", "2", "1"])
        assert.deepStrictEqual(yield* subjects({ by: "operators" }, { limit: 1 }), ["batch"])
        assert.deepStrictEqual(yield* subjects({ actor: "bob" }), ["batch"])
        assert.deepStrictEqual(yield* subjects({ actor: "builder:acme" }), ["4", "3", "2", "1"])
        assert.deepStrictEqual(yield* subjects({ actor: "builder:acme", by: "operators" }), [])
        assert.deepStrictEqual(yield* subjects({ action: "builder.patch" }), ["acme"])
        assert.deepStrictEqual(yield* subjects({ subject: "acme_2" }), ["acme_2"])
        assert.deepStrictEqual(yield* subjects({ subject: "acme\0" }), [])
        assert.deepStrictEqual(yield* subjects({ fromMs: 20, toMs: 40 }), ["3", "2"])

        const [first] = yield* audit.list({ action: "webhook.patch", limit: 1 })
        assert.strictEqual(first?.subject, "4")
        assert.deepStrictEqual(
          yield* subjects({ action: "webhook.patch", fromMs: 20 }, { before: first?.id ?? "", limit: 2 }),
          ["3", "2"]
        )
      })
    )
  })
