/** Contract of every audit log. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"

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
  })
