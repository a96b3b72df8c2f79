import * as BunServices from "@effect/platform-bun/BunServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FileSystem, Path, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import * as Postgres from "../../src/devnet/Postgres.ts"
import { TestDatabase, testDatabase } from "../support/Postgres.ts"

const client = (url: string) => PgClient.makeClient({ url: Redacted.make(url) }).pipe(Effect.provide(Reactivity.layer))

/** True if a process of the group is still alive. */
const groupIsAlive = (leader: number): boolean => {
  try {
    return process.kill(-leader, 0)
  } catch {
    return false
  }
}

layer(testDatabase)("testDatabase", (it) => {
  it.effect("gives an empty PostgreSQL 18 database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [version] = yield* sql<{ server_version: string }>`SHOW server_version`
      assert.match(version?.server_version ?? "", /^18/)
      const tables = yield* sql`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`
      assert.strictEqual(tables.length, 0)
      yield* sql`CREATE TABLE left_behind (id int)`
    })
  )
})

layer(testDatabase)("another testDatabase", (it) => {
  it.effect("shares the server, not the data", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const tables = yield* sql`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`
      assert.strictEqual(tables.length, 0)
      const { url } = yield* TestDatabase
      const [name] = yield* sql<{ current_database: string }>`SELECT current_database()`
      assert.isTrue(url.endsWith(`/${name?.current_database}`))
    })
  )
})

describe("Postgres.start", () => {
  it.live("stops every process when the scope closes", () =>
    Effect.gen(function* () {
      const pid = yield* Effect.gen(function* () {
        const server = yield* Postgres.start({ durable: false })
        assert.isTrue(groupIsAlive(server.pid))
        return server.pid
      }).pipe(Effect.scoped)
      assert.isFalse(groupIsAlive(pid))
    }).pipe(Effect.provide(BunServices.layer))
  )

  it.live("refuses a directory in use, and recovers one that a killed server left", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-test-" })
      yield* fs.chmod(root, 0o755)
      const dataDirectory = path.join(root, "data")

      yield* Effect.gen(function* () {
        const server = yield* Postgres.start({ dataDirectory, durable: false })
        const sql = yield* client(yield* server.createDatabase("kept"))
        yield* sql`CREATE TABLE rows (id int)`
        const refused = yield* Effect.flip(Effect.scoped(Postgres.start({ dataDirectory, durable: false })))
        assert.include(refused.message, "another server runs in")
        process.kill(-server.pid, "SIGKILL")
        yield* server.exited
      }).pipe(Effect.scoped)
      assert.isTrue(yield* fs.exists(path.join(dataDirectory, "postmaster.pid")))

      // The process id in the lock file now belongs to another process.
      const lock = path.join(dataDirectory, "postmaster.pid")
      const content = yield* fs.readFileString(lock)
      yield* fs.writeFileString(lock, content.replace(/^\d+/, String(process.ppid)))

      const server = yield* Postgres.start({ dataDirectory, durable: false })
      const sql = yield* client(server.url("kept"))
      assert.deepStrictEqual([...(yield* sql`SELECT * FROM rows`)], [])
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("works where only the user can go, even if that user is root", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-test-" })
      assert.strictEqual((yield* fs.stat(root)).mode & 0o077, 0)
      const server = yield* Postgres.start({ dataDirectory: path.join(root, "data"), durable: false })
      const sql = yield* client(yield* server.createDatabase("reachable"))
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})
