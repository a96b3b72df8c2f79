/** `sweep backup` on a real PostgreSQL, and what `sweep restore` refuses. PostgreSQL's own programs are played. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Redacted, Schedule } from "effect"
import * as DatabaseFacts from "../../src/cli/DatabaseFacts.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as Postgres from "../../src/devnet/Postgres.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { migratedDatabaseUrl, TestDatabase } from "../support/Postgres.ts"
import { LATE, programs, TABLES } from "./postgresPrograms.ts"
import { sweep } from "./sweep.ts"

/** Accepts a session, as PgBouncer does, and answers no statement. */
const silentServer = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (socket, data) => {
            // The startup message alone has no letter. The answer is "authenticated" and "ready".
            if (data[0] === 0) socket.write(Buffer.from("5200000008000000005a0000000549", "hex"))
          }
        }
      })
    ),
    (server) => Effect.sync(() => server.stop(true))
  ),
  ({ port }) => `postgres://sweep@127.0.0.1:${port}/sweep`
)

layer(Layer.merge(BunServices.layer, migratedDatabaseUrl), { excludeTestServices: true })("sweep backup", (it) => {
  it.effect("writes a dump that it has read, which others cannot read, and never over another file", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      const file = `${directory}/sweep.dump`
      // The test's server asks for no password, so any will do.
      const env = { ...settings, DATABASE_URL: url.replace("postgres@", "postgres:secret@") }
      const done = yield* sweep(["backup", "--output", file, "--json"], env)
      assert.strictEqual(done.code, 0, done.err)
      assert.deepInclude(JSON.parse(done.out), { file, bytes: "7", tables: 2 })
      const parameter = `${url}${url.includes("?") ? "&" : "?"}password=secret`
      const other = yield* sweep(["backup", "--output", `${directory}/other.dump`], {
        ...settings,
        DATABASE_URL: parameter
      })
      assert.strictEqual(other.code, 0, other.err)
      // libpq reads this one from no variable, but from a file.
      const key = yield* sweep(["backup", "--output", `${directory}/key.dump`], {
        ...settings,
        DATABASE_URL: `${parameter}&sslpassword=se%63ret%20of%20key&application_name=backup`
      })
      assert.strictEqual(key.code, 0, key.err)
      assert.strictEqual(
        yield* fs.readFileString(`${directory}/token_sweep`),
        "[token_sweep]\nsslpassword=secret of key\n"
      )
      assert.strictEqual((yield* fs.stat(`${directory}/token_sweep`)).mode & 0o777, 0o600)
      assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
      const again = yield* sweep(["backup", "--output", file], env)
      assert.strictEqual(again.code, 1)
      assert.include(again.err, "exists. Choose another --output")
    })
  )

  it.effect("leaves no file if the dump has not the books", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, ["builder ledger_entries"])
      const file = `${directory}/sweep.dump`
      const done = yield* sweep(["backup", "--output", file], { ...settings, DATABASE_URL: url })
      assert.strictEqual(done.code, 1)
      assert.include(done.err, "lacks the tables orchestrator.relay_transactions")
      assert.deepStrictEqual((yield* fs.readDirectory(directory)).toSorted(), ["pg_dump", "pg_restore", "restores"])
    })
  )

  it.effect("names the package to install if pg_dump is older than the server", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(9, TABLES)
      const done = yield* sweep(["backup", "--output", `${directory}/sweep.dump`], { ...settings, DATABASE_URL: url })
      assert.strictEqual(done.code, 1)
      assert.match(done.err, /the server is PostgreSQL \d+, which needs pg_dump \d+ or later .*postgresql-client-\d+/)
    })
  )

  it.effect("restores into no database that has a schema", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      yield* fs.writeFileString(`${directory}/sweep.dump`, "dumped")
      const done = yield* sweep(["restore", `${directory}/sweep.dump`], { ...settings, DATABASE_URL: url })
      assert.strictEqual(done.code, 1)
      assert.include(done.err, "has the schema builder and the schema orchestrator already")
    })
  )

  it.effect("refuses a direct URL that leads to another database, and writes no file", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      const stale = url.replace("postgres@", "postgres:secret@").replace(/\/[^/]*$/, "/postgres")
      const env = { ...settings, DATABASE_URL: url, DATABASE_LISTEN_URL: stale }
      yield* fs.writeFileString(`${directory}/old.dump`, "dumped")
      for (const args of [
        ["backup", "--output", `${directory}/sweep.dump`],
        ["restore", `${directory}/old.dump`]
      ]) {
        const done = yield* sweep(args, env)
        assert.strictEqual(done.code, 1, done.out)
        assert.include(
          done.err,
          "DATABASE_LISTEN_URL leads to another database than DATABASE_URL: to postgres instead of"
        )
        assert.include(done.err, "Set it to the database of DATABASE_URL, without the proxy")
        assert.notInclude(done.err, "secret")
      }
      assert.isFalse(yield* fs.exists(`${directory}/sweep.dump`))
      // By another name of the same server.
      const alike = { ...env, DATABASE_LISTEN_URL: url.replace("127.0.0.1", "localhost") }
      const done = yield* sweep(["backup", "--output", `${directory}/sweep.dump`], alike)
      assert.strictEqual(done.code, 0, done.err)
    })
  )

  it.effect("goes on with a warning if DATABASE_URL alone gives no answer", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      const nowhere = "postgres://sweep:secret@127.0.0.1:1/sweep"
      const file = `${directory}/sweep.dump`
      const env = { ...settings, DATABASE_URL: nowhere, DATABASE_LISTEN_URL: url }
      const done = yield* sweep(["backup", "--output", file, "--json"], env)
      assert.strictEqual(done.code, 0, done.err)
      assert.deepInclude(JSON.parse(done.out), { file })
      assert.match(
        done.err,
        /^warning: the database of DATABASE_URL cannot be read \(.+\)\. The command uses that of DATABASE_LISTEN_URL and did not compare them\. Check that it is the database of the services\n$/
      )
      assert.notInclude(done.err, "secret")
      // A proxy that takes connections, while its database is away.
      const proxy = yield* silentServer
      const waited = yield* sweep(["backup", "--output", `${directory}/other.dump`], { ...env, DATABASE_URL: proxy })
      assert.strictEqual(waited.code, 0, waited.err)
      assert.include(waited.err, "warning: the database of DATABASE_URL cannot be read")
    })
  )

  it.effect("fails without a warning if DATABASE_LISTEN_URL gives no answer", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      const nowhere = "postgres://sweep:secret@127.0.0.1:1/sweep"
      for (const used of [url, nowhere]) {
        const env = { ...settings, DATABASE_URL: used, DATABASE_LISTEN_URL: nowhere }
        const done = yield* sweep(["backup", "--output", `${directory}/sweep.dump`], env)
        assert.strictEqual(done.code, 1, done.out)
        assert.match(done.err, /^sweep: store unavailable during read the database of DATABASE_LISTEN_URL: [^\n]+\n$/)
      }
    })
  )

  it.effect("dumps neither another server nor one in recovery", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { url } = yield* TestDatabase
      const { directory, settings } = yield* programs(LATE, TABLES)
      const data = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-standby-" })
      yield* fs.chmod(data, 0o755)
      const dataDirectory = `${data}/postgres`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = (yield* Postgres.start({ dataDirectory, durable: false })).url("postgres")
          const env = { ...settings, DATABASE_URL: url, DATABASE_LISTEN_URL: other }
          const done = yield* sweep(["backup", "--output", `${directory}/sweep.dump`], env)
          assert.strictEqual(done.code, 1)
          assert.match(done.err, /to a server of the cluster \d+ instead of \d+/)
        })
      )
      yield* fs.writeFileString(`${dataDirectory}/standby.signal`, "")
      const port = yield* Ports.free
      // It tells of read-only connections alone, and so never counts as started.
      yield* Effect.forkScoped(Postgres.start({ dataDirectory, durable: false, port }))
      const standby = `postgres://postgres@127.0.0.1:${port}/postgres`
      yield* DatabaseFacts.identity(Redacted.make(standby)).pipe(
        Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 100 })
      )
      const done = yield* sweep(["backup", "--output", `${directory}/sweep.dump`], {
        ...settings,
        DATABASE_URL: standby
      })
      assert.strictEqual(done.code, 1)
      assert.include(done.err, "the server is a standby in recovery")
      assert.isFalse(yield* fs.exists(`${directory}/sweep.dump`))
    }).pipe(withLiveClock)
  )
})
