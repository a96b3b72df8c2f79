/** `sweep restore` on a real PostgreSQL. PostgreSQL's own programs are played. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import * as Database from "../../src/adapters/sql/shared/Database.ts"
import { migratedDatabase, TestDatabase, testDatabaseUrl } from "../support/Postgres.ts"
import { LATE, programs, TABLES } from "./postgresPrograms.ts"
import { sweep } from "./sweep.ts"

layer(Layer.merge(BunServices.layer, testDatabaseUrl), { excludeTestServices: true })("sweep restore", (it) => {
  it.effect("restores no owners and no grants, whose roles the server may lack", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      yield* fs.writeFileString(`${directory}/sweep.dump`, "dumped")
      const done = yield* sweep(["restore", `${directory}/sweep.dump`], { ...settings, DATABASE_URL: url })
      assert.strictEqual(done.code, 0, done.err)
      const [, restored = ""] = (yield* fs.readFileString(`${directory}/restores`)).split("\n")
      for (const flag of ["--single-transaction", "--no-owner", "--no-privileges"]) assert.include(restored, flag)
    })
  )
})

layer(Layer.merge(BunServices.layer, testDatabaseUrl), { excludeTestServices: true })("sweep restore", (it) => {
  it.effect("changes nothing while a service is connected", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      yield* fs.writeFileString(`${directory}/sweep.dump`, "dumped")
      const restored = sweep(["restore", `${directory}/sweep.dump`], { ...settings, DATABASE_URL: url })
      const refused = yield* Effect.gen(function* () {
        yield* (yield* PgClient.PgClient)`SELECT 1`
        return yield* restored
      }).pipe(Effect.provide(Database.layer({ url: Redacted.make(url) })))
      assert.strictEqual(refused.code, 1)
      assert.match(
        refused.err,
        /services are connected to the database, and it was not changed: token-sweep of .*process \d+/
      )
      assert.include(refused.err, "Stop all replicas")
      assert.isFalse(yield* fs.exists(`${directory}/restores`))
    })
  )
})

/** Names of the schemas while they are in the played dump. */
const RENAMES = [
  ["orchestrator", "orchestrator_dumped"],
  ["builder", "builder_dumped"]
] as const

layer(Layer.provideMerge(migratedDatabase, BunServices.layer), { excludeTestServices: true })(
  "sweep restore of a dump with choices of operators",
  (it) => {
    it.effect("prints them, and pauses all sweeps each time", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const sql = yield* PgClient.PgClient
        const { url } = yield* TestDatabase
        const undumped = RENAMES.map(([name, dumped]) => `ALTER SCHEMA ${dumped} RENAME TO ${name};`).join(" ")
        const { directory, settings } = yield* programs(
          LATE,
          TABLES,
          `"${process.execPath}" -e 'await new Bun.SQL(process.argv.at(-1)).unsafe("${undumped}"); process.exit()'`,
          "2026-01-31 12:00:05 UTC"
        )
        yield* fs.writeFileString(`${directory}/sweep.dump`, "dumped")
        // A replica that still runs has written since.
        yield* sql`INSERT INTO orchestrator.health_probe (id, probed_at) VALUES (true, now())
          ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at`
        yield* sql`INSERT INTO orchestrator.operator_overrides (name, value, actor, reason, since)
          VALUES ('pause:chain:8453', 'paused', 'ops', 'exploit', now())`
        const restored = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
          for (const [name, dumped] of RENAMES) yield* sql`ALTER SCHEMA ${sql(name)} RENAME TO ${sql(dumped)}`
          const env = { ...settings, DATABASE_URL: url }
          const done = yield* sweep(["restore", `${directory}/sweep.dump`, ...flags], env)
          assert.strictEqual(done.code, 0, done.err)
          return done.out
        })

        const out = yield* restored()
        assert.match(out, /orchestrator +pause:chain:8453 +paused +\S+ +ops +exploit/)
        assert.notInclude(out, "pause:all", "it was not chosen at the restored moment")
        assert.include(out, "all lanes are active")
        assert.match(out, /restored to +2026-01-31T12:00:05\.000Z/, "the time of the dump, which is the earlier one")
        assert.include(out, "run `sweep operate resume all`")
        const pauses = sql`SELECT value, actor FROM orchestrator.operator_overrides WHERE name = 'pause:all'`
        assert.deepStrictEqual(yield* pauses, [{ value: "paused", actor: "sweep restore" }])

        // Another restore, of a dump in which the operator has resumed and drained a lane.
        yield* sql`UPDATE orchestrator.operator_overrides SET value = 'running', actor = 'ops' WHERE name = 'pause:all'`
        const lane = `0x${"71".repeat(20)}`
        yield* sql`INSERT INTO orchestrator.lane_states (lane, state, since) VALUES (${lane}, 'draining', now())`
        const again = JSON.parse(yield* restored("--json")) as {
          readonly choices: ReadonlyArray<{ readonly name: string; readonly value: string }>
          readonly lanes: ReadonlyArray<object>
        }
        assert.deepStrictEqual(
          again.choices.map(({ name, value }) => [name, value]),
          [
            ["pause:all", "running"],
            ["pause:chain:8453", "paused"]
          ]
        )
        assert.lengthOf(again.lanes, 1)
        assert.deepInclude(again.lanes[0], { lane, state: "draining" })
        assert.deepStrictEqual(yield* pauses, [{ value: "paused", actor: "sweep restore" }])
      })
    )
  }
)
