/** Restores are noticed, and nothing leads to a payment until they are reconciled. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlPayouts from "../../../../src/adapters/sql/builder/Payouts.ts"
import * as Restores from "../../../../src/adapters/sql/builder/Restores.ts"
import { Payouts } from "../../../../src/ports/builder/Payouts.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

const books = SqlPayouts.layer.pipe(Layer.provideMerge(migratedDatabase))

/** True if payments are refused. */
const refuses = Effect.gen(function* () {
  const payouts = yield* Payouts
  return yield* payouts.requireReconciled.pipe(
    Effect.as(false),
    Effect.catchTag("RestoreUnreconciled", () => Effect.succeed(true))
  )
})

layer(books, { excludeTestServices: true })("a restore", (it) => {
  it.effect("stops payouts while it is recorded and not reconciled", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.isFalse(yield* refuses)
      const recorded = yield* Restores.record(sql, 1_234)
      assert.strictEqual(recorded.restoredToMs, 1_234)
      assert.isTrue(yield* refuses)
      yield* Restores.close(sql, [recorded.id])
      assert.isFalse(yield* refuses)
      const latest = yield* Restores.latest(sql)
      assert.strictEqual(latest?.id, recorded.id)
      assert.isAtLeast(latest?.reconciledAtMs ?? 0, recorded.recordedAtMs)
    })
  )

  it.effect("that nobody recorded shows by the identity of the database", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      // The cluster, the database and the timeline, each of which this server tells.
      const [row] = yield* sql<{ identity: string }>`SELECT builder.current_identity() AS identity`
      assert.match(row?.identity ?? "", /^\d+\/\d+\/[0-9A-F]{8}$/)
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      assert.isTrue(yield* refuses)
      assert.isTrue(yield* Restores.isForeign(sql))
      yield* Restores.close(sql, [])
      assert.isFalse(yield* refuses)
    })
  )

  it.effect("is not one because the role may read a part of the identity now, or no longer", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [row] = yield* sql<{ identity: string }>`SELECT builder.current_identity() AS identity`
      const full = row?.identity ?? ""
      const [cluster = "", database = "", timeline = ""] = full.split("/")
      const noted = Effect.map(
        sql<{ identity: string }>`SELECT identity FROM builder.database_identity`,
        ([first]) => first?.identity
      )
      const note = (identity: string) => sql`UPDATE builder.database_identity SET identity = ${identity}`
      for (const partial of [`-/${database}/-`, `${cluster}/${database}/-`, `-/${database}/${timeline}`]) {
        yield* note(partial)
        assert.deepStrictEqual([yield* Restores.isForeign(sql), yield* refuses], [false, false])
        // The part that was read is noted, so that a change of it is noticed.
        assert.strictEqual(yield* noted, full)
        const [seen] = yield* sql<{ other: boolean; fuller: string }>`SELECT
          builder.is_other_database(${full}, ${partial}) AS other, builder.fuller_identity(${full}, ${partial}) AS fuller`
        assert.deepStrictEqual({ ...seen }, { other: false, fuller: full })
      }
      yield* note(`-/${database}/-`)
      const reading = sql`SET TRANSACTION READ ONLY`.pipe(
        Effect.andThen(Restores.isUnreconciled(sql)),
        sql.withTransaction
      )
      assert.isFalse(yield* reading)
      assert.strictEqual(yield* noted, `-/${database}/-`)
      for (const other of [`1/${database}/-`, `-/${database}/0000FFFF`, `-/1/-`]) {
        yield* note(other)
        assert.deepStrictEqual([yield* Restores.isForeign(sql), yield* refuses], [true, true])
        assert.strictEqual(yield* noted, other)
      }
      yield* note(full)
    })
  )

  it.effect("is that of the database in which it is recorded, which counts as unreconciled all the same", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      const { id } = yield* Restores.record(sql, 1_500)
      assert.deepStrictEqual([yield* Restores.isForeign(sql), yield* refuses], [false, true])
      yield* Restores.close(sql, [id])
      assert.isFalse(yield* refuses)
    })
  )

  it.effect("begins at another moment, unless it has ended", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { id, recordedAtMs } = yield* Restores.record(sql, 1_500)
      assert.isTrue(yield* Restores.move(sql, id, 1_400))
      assert.deepStrictEqual(yield* Restores.open(sql), [{ id, restoredToMs: 1_400, recordedAtMs }])
      yield* Restores.close(sql, [id])
      assert.isFalse(yield* Restores.move(sql, id, 1_300))
      assert.strictEqual((yield* Restores.latest(sql))?.restoredToMs, 1_400)
    })
  )

  it.effect("stays open if another one is closed, and so does the mark of a database that nobody reconciled", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const first = yield* Restores.record(sql, 2_000)
      const second = yield* Restores.record(sql, 1_000)
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      yield* Restores.close(sql, [first.id])
      assert.deepStrictEqual(
        (yield* Restores.open(sql)).map(({ id }) => id),
        [second.id]
      )
      assert.isTrue(yield* Restores.isForeign(sql))
      yield* Restores.close(sql, [first.id, second.id])
      assert.isFalse(yield* refuses)
    })
  )

  it.effect("ends all sessions, since one that was ended in the lost time would be open again", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO builder.builders (id, name, builder_bps, max_builder_bps, payout_address, payout_mode, created_at)
        VALUES ('alpha', 'alpha', 0, 0, ${"0x" + "80".repeat(20)}, 'ledger', now())`
      yield* sql`INSERT INTO builder.sessions (token_hash, builder_id, created_at, expires_at)
        SELECT '0x' || repeat(n::text, 64), 'alpha', now(), now() + interval '1 day' FROM generate_series(1, 3) AS n`
      yield* Restores.record(sql, 3_000)
      assert.deepStrictEqual(yield* sql`SELECT * FROM builder.sessions`, [])
    })
  )

  it.effect("pauses all sweeps with its reason, in place of what operators had chosen, and logs it each time", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const pause = sql<{ value: string; actor: string; reason: string }>`SELECT value, actor, reason
        FROM orchestrator.operator_overrides WHERE name = 'pause:all'`
      const logged = Effect.map(
        sql`SELECT 1 AS one FROM orchestrator.operator_log WHERE action = 'pause.paused' AND subject = 'all'`,
        (rows) => rows.length
      )
      for (const before of [undefined, "running", "paused"]) {
        yield* sql`DELETE FROM orchestrator.operator_overrides`
        if (before !== undefined) {
          yield* sql`INSERT INTO orchestrator.operator_overrides (name, value, actor, reason, since)
            VALUES ('pause:all', ${before}, 'ops', 'drill', now()), ('pause:chain:1', 'running', 'ops', '', now())`
        }
        const earlier = yield* logged
        yield* Restores.record(sql, Date.parse("2026-01-31T12:00:00Z"), "sweep reconcile")
        const [made] = yield* pause
        assert.deepInclude(made, { value: "paused", actor: "sweep reconcile" })
        assert.include(made?.reason, "restored to 2026-01-31T12:00:00.000Z")
        assert.strictEqual(yield* logged, earlier + 1)
      }
      const others = yield* sql`SELECT value FROM orchestrator.operator_overrides WHERE name = 'pause:chain:1'`
      assert.deepStrictEqual(others, [{ value: "running" }], "other choices stand")
    })
  )

  it.effect("is to the last write that the database shows", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`DELETE FROM orchestrator.health_probe`
      yield* sql`DELETE FROM builder.health_probe`
      assert.isUndefined(yield* Restores.lastWrite(sql))
      yield* sql`INSERT INTO orchestrator.health_probe (id, probed_at) VALUES (true, '2026-01-01T00:00:00Z')`
      yield* sql`INSERT INTO builder.health_probe (id, probed_at) VALUES (true, '2026-01-01T00:00:05Z')`
      assert.strictEqual(yield* Restores.lastWrite(sql), Date.parse("2026-01-01T00:00:05Z"))
    })
  )
})
