/** A service waits for a database that is coming up, and not for one that its settings cannot reach. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { AuthenticationError, ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import * as StartWait from "../../../../src/adapters/sql/shared/StartWait.ts"

const refused = new SqlError({ reason: new ConnectionError({ cause: new Error("ECONNREFUSED") }) })
const starting = new SqlError({
  reason: new UnknownError({ cause: Object.assign(new Error("the database system is starting up"), { code: "57P03" }) })
})
const wrongPassword = new SqlError({ reason: new AuthenticationError({ cause: new Error("password") }) })

/** Fails so often before it succeeds. */
const after = Effect.fnUntraced(function* (failures: number, error: SqlError) {
  const attempts = yield* Ref.make(0)
  const attempt = Effect.flatMap(
    Ref.updateAndGet(attempts, (count) => count + 1),
    (count) => (count > failures ? Effect.void : Effect.fail(error))
  )
  return { attempts: Ref.get(attempts), attempt }
})

describe("the start of a service", () => {
  it.effect.each([refused, starting])("waits for the database to come up", (error) =>
    Effect.gen(function* () {
      const { attempt, attempts } = yield* after(7, error)
      const waiting = yield* Effect.forkChild(StartWait.until(attempt))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(waiting)
      assert.strictEqual(yield* attempts, 8)
    })
  )

  it.effect("gives up after a minute, and says why", () =>
    Effect.gen(function* () {
      const { attempt } = yield* after(1_000, refused)
      const waiting = yield* Effect.forkChild(Effect.flip(StartWait.until(attempt)))
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(waiting.pollUnsafe(), undefined)
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(waiting)
      assert.strictEqual(
        error.message,
        "the database cannot be used after 60 seconds: ConnectionError: ECONNREFUSED. Check DATABASE_URL, and that PostgreSQL runs and takes connections"
      )
    })
  )

  it.effect("does not wait where waiting cannot help", () =>
    Effect.gen(function* () {
      const { attempt, attempts } = yield* after(1_000, wrongPassword)
      const error = yield* Effect.flip(StartWait.until(attempt))
      assert.include(error.message, "the database cannot be used: AuthenticationError")
      assert.strictEqual(yield* attempts, 1)
    })
  )
})
