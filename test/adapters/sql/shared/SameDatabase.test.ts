/** A service does not start on a direct URL that leads to another database. */
import { assert, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import * as BuilderMigrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as OrchestratorMigrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { TestServer } from "../../../support/Postgres.ts"

const SERVICES = [OrchestratorMigrated.layer, BuilderMigrated.layer]

const connection = (url: string, directUrl?: string) =>
  Database.layer({
    url: Redacted.make(url),
    directUrl: directUrl === undefined ? undefined : Redacted.make(directUrl),
    poolSize: 1
  })

const schemas = (url: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      sql<{ name: string }>`SELECT nspname AS name FROM pg_namespace WHERE nspname IN ('orchestrator', 'builder')`
  ).pipe(
    Effect.map((rows) => rows.map(({ name }) => name).toSorted()),
    Effect.provide(connection(url))
  )

layer(TestServer.layer, { excludeTestServices: true })("the start of a service with a direct URL", (it) => {
  it.effect("is refused if that leads to another database, which is not migrated", () =>
    Effect.gen(function* () {
      const { createDatabase } = yield* TestServer
      const [used, other] = [yield* createDatabase, yield* createDatabase]
      for (const service of SERVICES) {
        const error = yield* Effect.flip(Layer.build(Layer.provide(service, connection(used, other))))
        assert.strictEqual(error._tag, "OtherDatabase")
        assert.match(
          error.message,
          /^DATABASE_LISTEN_URL leads to another database than DATABASE_URL: to test_\S+ instead of/
        )
        assert.include(error.message, "Set it to the database of DATABASE_URL, without the proxy")
      }
      assert.deepStrictEqual(yield* schemas(other), [])
    })
  )

  it.effect("migrates the database that both lead to", () =>
    Effect.gen(function* () {
      const { createDatabase } = yield* TestServer
      const url = yield* createDatabase
      for (const service of SERVICES) {
        yield* Layer.build(Layer.provide(service, connection(url, url.replace("127.0.0.1", "localhost"))))
      }
      assert.deepStrictEqual(yield* schemas(url), ["builder", "orchestrator"])
    })
  )

  it.effect("names the failure of a direct URL that cannot be read as that of the migrations", () =>
    Effect.gen(function* () {
      const url = yield* (yield* TestServer).createDatabase
      const nowhere = "postgres://sweep:secret@127.0.0.1:1/sweep"
      const error = yield* Effect.flip(Layer.build(Layer.provide(OrchestratorMigrated.layer, connection(url, nowhere))))
      assert.include(error.message, "store unavailable during migrate")
    })
  )
})
