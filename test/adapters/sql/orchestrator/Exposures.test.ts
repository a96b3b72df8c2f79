import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Budgets, classOf } from "../../../../src/domain/Exposure.ts"
import { claimOf } from "../../../../src/domain/ExposureClaims.ts"
import { Exposures } from "../../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { suite } from "../../../ports/orchestrator/Exposures.suite.ts"
import { newIntent, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)

const ALL = classOf("unlisted", "all", 1)
const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")
const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n }
const SWEEP = { intentId: "a", classes: [ALL, TOKEN], wei: 60n }

/** Reserves a sweep as the release before does, which names no holders. */
const reserveBefore = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`DELETE FROM orchestrator.exposures WHERE intent_id = 'a'`
  yield* sql`
    INSERT INTO orchestrator.exposures (intent_id, wei, reserved_at, classes)
    VALUES ('a', 60, to_timestamp(0), ${[ALL, TOKEN]})`
  yield* sql`
    INSERT INTO orchestrator.exposure_sums (class, hour, open) SELECT unnest(${[ALL, TOKEN]}::text[]), '-infinity', 60
    ON CONFLICT (class, hour) DO NOTHING`
})

it.effect.each([{ isFirst: true }, { isFirst: false }])(
  "a release does not end what a process of the release before has reserved, first: $isFirst",
  ({ isFirst }) =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* (yield* Intents).create(newIntent({ id: "a" }))
      const here = exposures.reserve([SWEEP], BUDGETS, "submission")
      yield* isFirst ? Effect.andThen(reserveBefore, here) : Effect.andThen(here, reserveBefore)
      yield* exposures.releaseQuoted(["a"], "submission")
      assert.isTrue((yield* exposures.reserved(["a"])).has("a"))
      // The relayer ends it, as any other.
      yield* exposures.release(["a"])
      assert.strictEqual((yield* exposures.sums([ALL])).get(ALL)?.open, 0n)
    }).pipe(Effect.provide(freshStores))
)

it.effect("a late submission does not renew what a process of the release before has reserved", () =>
  Effect.gen(function* () {
    const exposures = yield* Exposures
    yield* (yield* Intents).create(newIntent({ id: "a" }))
    yield* reserveBefore
    yield* TestClock.adjust("1 minute")
    yield* exposures.reserve([SWEEP], BUDGETS, "late")
    yield* exposures.prune(60_000)
    assert.isFalse((yield* exposures.reserved(["a"])).has("a"))
  }).pipe(Effect.provide(freshStores))
)

const CLAIM = claimOf(0, "claim")

it.effect("a late claim does not end what a process of the release before has reserved", () =>
  Effect.gen(function* () {
    const exposures = yield* Exposures
    yield* submitted({ id: "a", owner: 1 })
    yield* exposures.reserve([SWEEP], BUDGETS, CLAIM)
    yield* reserveBefore
    yield* exposures.release(["a"], CLAIM)
    assert.strictEqual((yield* exposures.sums([ALL])).get(ALL)?.open, 60n)
    // A claim replaces it, as any other.
    yield* exposures.reserve([SWEEP], BUDGETS, CLAIM)
    yield* exposures.release(["a"], CLAIM)
    assert.strictEqual((yield* exposures.sums([ALL])).get(ALL)?.open, 0n)
  }).pipe(Effect.provide(freshStores))
)

it.effect("a claim that withdraws while another one reserves its sweep holds nothing afterwards", () =>
  Effect.gen(function* () {
    const exposures = yield* Exposures
    const sql = yield* PgClient.PgClient
    const next = claimOf(1, "next")
    yield* submitted({ id: "a", owner: 1 })
    yield* exposures.reserve([SWEEP], BUDGETS, CLAIM)
    const reserved = yield* Deferred.make<void>()
    const withdrawing = yield* Effect.forkChild(
      Effect.andThen(Deferred.await(reserved), exposures.release(["a"], CLAIM))
    )
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* exposures.reserve([SWEEP], BUDGETS, next)
        yield* Deferred.succeed(reserved, undefined)
        // Until the release waits for this transaction.
        yield* sql`SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`.pipe(
          Effect.repeat({ until: (rows) => rows.length > 0 })
        )
      })
    )
    yield* Fiber.join(withdrawing)
    yield* exposures.release(["a"], next)
    assert.strictEqual((yield* exposures.sums([ALL])).get(ALL)?.open, 0n)
  }).pipe(Effect.provide(freshStores))
)

it.effect("a submission of the release before that joins a claim counts no longer than others", () =>
  Effect.gen(function* () {
    const exposures = yield* Exposures
    const sql = yield* PgClient.PgClient
    yield* submitted({ id: "a", owner: 1 })
    yield* exposures.reserve([SWEEP], BUDGETS, CLAIM)
    yield* sql`UPDATE orchestrator.exposures SET holders = array_append(holders, 'before')`
    yield* exposures.reserve([SWEEP], BUDGETS, "submission")
    yield* exposures.release(["a"])
    assert.isTrue((yield* exposures.reserved(["a"])).has("a"))
    yield* exposures.release(["a"], CLAIM)
    yield* exposures.release(["a"])
    assert.strictEqual((yield* exposures.sums([ALL])).get(ALL)?.open, 0n)
  }).pipe(Effect.provide(freshStores))
)
