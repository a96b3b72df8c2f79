import { layer, expect } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Logger, References, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { migrations } from "../../../../migrations/orchestrator/index.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import * as Migrations from "../../../../src/adapters/sql/shared/Migrations.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { withLiveClock } from "../../../support/LiveClock.ts"
import { TestDatabase, testDatabase } from "../../../support/Postgres.ts"

const ALL = Object.keys(migrations)

/** Another process: a pool of its own. */
const elsewhere = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) =>
  Effect.flatMap(TestDatabase, ({ url }) =>
    Effect.provide(effect, Database.layer({ url: Redacted.make(url), poolSize: 1 }))
  )

layer(testDatabase)("migrations", (it) => {
  it.effect("run once, whoever and however many start them", () =>
    Effect.gen(function* () {
      const applied = yield* Effect.all(
        Array.from({ length: 6 }, () => elsewhere(Migrated.migrate)),
        { concurrency: "unbounded" }
      )
      expect(applied.filter((names) => names.length > 0)).toEqual([ALL])
      expect(yield* Migrated.migrate).toEqual([])
      const sql = yield* PgClient.PgClient
      const noted = yield* sql<{ name: string }>`SELECT name FROM orchestrator.migrations ORDER BY migration_id`
      expect(noted.map(({ name }) => name)).toEqual(ALL.map((name) => name.slice(5)))
    })
  )

  it.effect("leave nothing behind when one of them fails, and run when it is mended", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const creates = (table: string) =>
        Effect.flatMap(SqlClient.SqlClient, (own) => Effect.asVoid(own`CREATE TABLE ${own(table)} (id integer)`))
      const first = creates("builder.first")
      const broken = creates("nowhere.second")
      const failure = yield* Effect.flip(Migrations.migrate("builder", { "0001_first": first, "0002_second": broken }))
      expect(failure).toMatchObject({ _tag: "MigrationError", kind: "Failed" })
      expect(yield* sql`SELECT FROM pg_namespace WHERE nspname = 'builder'`).toEqual([])
      const mended = creates("builder.second")
      expect(yield* Migrations.migrate("builder", { "0001_first": first, "0002_second": mended })).toEqual([
        "0001_first",
        "0002_second"
      ])
    })
  )

  it.effect("let the services read a table that another session keeps locked, and run once it is free", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const run = (statement: string) =>
        Effect.flatMap(SqlClient.SqlClient, (own) => Effect.asVoid(own.unsafe(statement)))
      const before = { "0003_large": run("CREATE TABLE builder.large AS SELECT 7 AS id") }
      const third = run("ALTER TABLE builder.large ADD COLUMN third integer")
      yield* Migrations.migrate("builder", before)
      const upToDate = sql`LOCK TABLE builder.migrations IN ACCESS SHARE MODE`.pipe(
        Effect.andThen(Migrations.migrate("builder", before)),
        sql.withTransaction
      )
      expect(yield* upToDate).toEqual([])

      const [taken, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* sql`LOCK TABLE builder.large IN ACCESS SHARE MODE`.pipe(
        Effect.andThen(Deferred.succeed(taken, undefined)),
        Effect.andThen(Deferred.await(released)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(taken)
      const reading = Effect.flatMap(PgClient.PgClient, (own) => own`SELECT id FROM builder.large`)
      const lines: ReadonlyArray<Array<unknown>> = [[], []]
      const migrating = yield* Effect.forEach(lines, (own) => {
        const logger = Logger.make(({ fiber, message }) => {
          own.push([message, fiber.getRef(References.CurrentLogAnnotations)])
        })
        return elsewhere(Migrations.migrate("builder", { ...before, "0004_third": third })).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.forkChild
        )
      })
      yield* Effect.gen(function* () {
        for (let times = 0; times < 18; times++) {
          expect(yield* elsewhere(reading)).toEqual([{ id: 7 }])
          yield* Effect.sleep("200 millis")
        }
        expect(migrating.map((fiber) => fiber.pollUnsafe())).toEqual([undefined, undefined])
      }).pipe(Effect.ensuring(Deferred.succeed(released, undefined)))
      yield* Fiber.join(holder)
      const applied = yield* Effect.forEach(migrating, (fiber) => Fiber.join(fiber))
      expect(applied.filter((names) => names.length > 0)).toEqual([["0004_third"]])
      expect(yield* sql`SELECT id, third FROM builder.large`).toEqual([{ id: 7, third: null }])
      // The other one waits for the first, and not for the table.
      const waited = lines.filter((own) => own.length > 0)
      expect(waited).toHaveLength(1)
      expect(waited[0]?.[0]).toMatchObject([
        ["migrations.waiting"],
        { schema: "builder", sessions: expect.stringMatching(/^\d+ \S/) }
      ])
    }).pipe(withLiveClock)
  )

  it.effect("hold what no query may get wrong", () =>
    Effect.gen(function* () {
      yield* Migrated.migrate
      const sql = yield* PgClient.PgClient
      const uint256 = (value: bigint) => Effect.exit(sql`SELECT ${String(value)}::orchestrator.uint256`)
      expect((yield* uint256(2n ** 256n - 1n))._tag).toBe("Success")
      expect((yield* uint256(2n ** 256n))._tag).toBe("Failure")
      expect((yield* uint256(-1n))._tag).toBe("Failure")
      for (const change of [
        sql`DELETE FROM orchestrator.intent_history`,
        sql`UPDATE orchestrator.intent_history SET detail = NULL`,
        sql`TRUNCATE orchestrator.intent_history`
      ]) {
        expect((yield* Effect.flip(change)).reason.cause).toMatchObject({
          message: "orchestrator.intent_history is append-only"
        })
      }
    })
  )
})
