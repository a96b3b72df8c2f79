/** Specifies the port `SharedWindows`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, type Scope } from "effect"
import type { SharedWindows } from "../../../src/ports/shared/SharedWindows.ts"

const MINUTE = 60_000

const EVERY = Schedule.spaced("20 millis")

/** A replica's view of one store. */
export type Replica = Effect.Effect<SharedWindows["Service"], never, Scope.Scope>

/** `store` starts a store, or names one, and lasts as long as the scope of a test. */
export const specify = (name: string, store: Effect.Effect<Replica, unknown, Scope.Scope>) => {
  const run = crypto.randomUUID()
  const request = (key: string, limit = 3, windowMillis = MINUTE) => ({
    key: `${run}:${key}`,
    tokens: 1,
    limit,
    windowMillis
  })

  describe(name, () => {
    it.live("counts up to the limit, and no further", () =>
      Effect.gen(function* () {
        const windows = yield* yield* store
        const taken = yield* Effect.forEach([1, 2, 3, 4, 5], () => windows.take(request("limit")))
        assert.deepStrictEqual(
          taken.map(({ count }) => count),
          [1, 2, 3, 4, 4]
        )
        for (const { remainingMillis } of taken) {
          assert.isAbove(remainingMillis, MINUTE - 5_000)
          // Times are whole milliseconds, and the clock may tick between two of them.
          assert.isAtMost(remainingMillis, MINUTE + 1)
        }
      })
    )

    it.live("counts the requests of several replicas together, and keys apart", () =>
      Effect.gen(function* () {
        const replica = yield* store
        const [a, b] = [yield* replica, yield* replica]
        const taken = yield* Effect.forEach([a, b, a, b], (windows) => windows.take(request("both")))
        assert.deepStrictEqual(
          taken.map(({ count }) => count),
          [1, 2, 3, 4]
        )
        assert.strictEqual((yield* b.take(request("other"))).count, 1)
      })
    )

    it.live("lets no request more through than the limit when they come at once", () =>
      Effect.gen(function* () {
        const replica = yield* store
        const both = [yield* replica, yield* replica]
        const taken = yield* Effect.all(
          Array.from({ length: 20 }, () => both.map((windows) => windows.take(request("rush", 10)))).flat(),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          taken.filter(({ count }) => count <= 10),
          10
        )
      })
    )

    it.live("ends a window a whole window after its first request", () =>
      Effect.gen(function* () {
        const windows = yield* yield* store
        // A busy machine must ask twice within it.
        const take = windows.take(request("end", 1, 2_000))
        assert.isAtMost((yield* take).remainingMillis, 2_000)
        assert.strictEqual((yield* take).count, 2)
        const next = yield* Effect.repeat(take, { schedule: EVERY, until: ({ count }) => count === 1 })
        assert.isAbove(next.remainingMillis, 1_000)
      }).pipe(Effect.timeout("20 seconds"))
    )
  })
}
