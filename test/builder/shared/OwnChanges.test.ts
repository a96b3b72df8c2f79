import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryAuditLog from "../../../src/adapters/memory/builder/AuditLog.ts"
import * as OwnChanges from "../../../src/builder/shared/OwnChanges.ts"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"

const HOUR = 3_600_000

const change = (actor: string, action = "webhook.patch") =>
  AuditLog.use((audit) => audit.append({ actor, action, subject: "one", details: {} }))

describe("the changes of a builder", () => {
  it.effect("are so many in 24 hours, counted from the oldest of them", () =>
    Effect.gen(function* () {
      const check = yield* OwnChanges.make
      yield* change("builder:alpha")
      yield* TestClock.adjust(2 * HOUR)
      for (let index = 1; index < OwnChanges.MAX_CHANGES; index += 1) {
        yield* check("builder:alpha")
        yield* change("builder:alpha")
      }
      const refused = yield* Effect.flip(check("builder:alpha"))
      assert.deepInclude(refused, { _tag: "TooManyChanges", retryAfterMillis: 22 * HOUR })
      yield* check("builder:beta")
      yield* TestClock.adjust(22 * HOUR)
      yield* check("builder:alpha")
      yield* change("builder:alpha")
      assert.deepInclude(yield* Effect.flip(check("builder:alpha")), { retryAfterMillis: 2 * HOUR })
    }).pipe(Effect.provide(MemoryAuditLog.layer))
  )

  it.effect("leave a reserve for rotations", () =>
    Effect.gen(function* () {
      const check = yield* OwnChanges.make
      for (let index = 0; index < OwnChanges.MAX_CHANGES; index += 1) yield* change("builder:alpha")
      yield* Effect.flip(check("builder:alpha"))
      for (let index = 0; index < OwnChanges.ROTATION_RESERVE; index += 1) {
        yield* check("builder:alpha", "rotation")
        yield* change("builder:alpha", "webhook.rotate_secret")
      }
      const refused = yield* Effect.flip(check("builder:alpha", "rotation"))
      assert.deepInclude(refused, { _tag: "TooManyChanges", retryAfterMillis: 24 * HOUR })
    }).pipe(Effect.provide(MemoryAuditLog.layer))
  )

  it.effect("do not include removals and revocations", () =>
    Effect.gen(function* () {
      const check = yield* OwnChanges.make
      for (let index = 1; index < OwnChanges.MAX_CHANGES; index += 1) {
        yield* change("builder:alpha", "webhook.create")
        yield* change("builder:alpha", index % 2 === 0 ? "webhook.remove" : "builder.revoke_key")
      }
      yield* check("builder:alpha")
      yield* change("builder:alpha")
      yield* change("builder:alpha", "webhook.remove")
      yield* Effect.flip(check("builder:alpha"))
    }).pipe(Effect.provide(MemoryAuditLog.layer))
  )

  it.effect("are not limited if an operator makes them", () =>
    Effect.gen(function* () {
      const check = yield* OwnChanges.make
      for (let index = 0; index <= OwnChanges.MAX_CHANGES; index += 1) yield* change("ann")
      yield* check("ann")
    }).pipe(Effect.provide(MemoryAuditLog.layer))
  )
})
