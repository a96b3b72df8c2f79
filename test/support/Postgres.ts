/** A real PostgreSQL for tests: one server for the whole run, a fresh database per layer. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import * as BuilderMigrated from "../../src/adapters/sql/builder/Migrated.ts"
import * as OrchestratorMigrated from "../../src/adapters/sql/orchestrator/Migrated.ts"
import { withLiveClock } from "./LiveClock.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Url of the server, without a database. PostgresSetup.ts starts it. */
    readonly postgres: string
    /** Url of a PgBouncer before the server, which the services of e2e tests then use. Empty if there is none. */
    readonly proxy: string
  }
}

/** Database with the schemas of both services. A copy of it takes a tenth of the time that the migrations take. */
const TEMPLATE = "migrated"

/** A copy of the template is another database, which would count as a restored one. */
const forgetIdentity = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    yield* sql`DELETE FROM builder.database_identity`
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** Migrates a database and gives it the template's name when it is complete. */
const createTemplate = Effect.fnUntraced(function* (server: string, sql: PgClient.PgClient) {
  const scratch = `${TEMPLATE}_${crypto.randomUUID()}`
  yield* sql`CREATE DATABASE ${sql(scratch)}`
  yield* Effect.all([OrchestratorMigrated.migrate, BuilderMigrated.migrate]).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(`${server}/${scratch}`), maxConnections: 1 })),
    withLiveClock
  )
  yield* forgetIdentity(`${server}/${scratch}`)
  yield* sql`ALTER DATABASE ${sql(scratch)} RENAME TO ${sql(TEMPLATE)}`
})

/** The first test file that needs the template creates it, while the others wait. The lock belongs to the only connection. */
const ensureTemplate = (server: string, sql: PgClient.PgClient) =>
  Effect.acquireUseRelease(
    sql`SELECT pg_advisory_lock(hashtext(${TEMPLATE}))`,
    () =>
      Effect.flatMap(sql`SELECT FROM pg_database WHERE datname = ${TEMPLATE}`, (found) =>
        found.length > 0 ? Effect.void : createTemplate(server, sql)
      ),
    () => Effect.orDie(sql`SELECT pg_advisory_unlock(hashtext(${TEMPLATE}))`)
  )

/** The server that all databases of the run share. */
export class TestServer extends Context.Service<
  TestServer,
  {
    /** Creates an empty database that is dropped with the scope, and returns its url. */
    readonly createDatabase: Effect.Effect<string, SqlError, Scope.Scope>
    /** Creates a database with the schemas of both services that is dropped with the scope, and returns its url. */
    readonly createMigrated: Effect.Effect<string, SqlError, Scope.Scope>
  }
>()("sweep/test/TestServer") {
  static readonly layer = Layer.effect(
    TestServer,
    Effect.gen(function* () {
      const server = inject("postgres")
      const sql = yield* PgClient.make({ url: Redacted.make(`${server}/postgres`), maxConnections: 1 }).pipe(
        Effect.provide(Reactivity.layer)
      )
      const copyOf = Effect.fnUntraced(function* (template: string) {
        // Not by the services of the test, whose random numbers repeat.
        const name = `test_${crypto.randomUUID()}`
        // Copying files takes two fifths of the time that logging each page takes, and keeps the template's cache of its catalogue.
        yield* Effect.acquireRelease(
          sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY FILE_COPY`,
          () => Effect.orDie(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
        )
        return `${server}/${name}`
      })
      const template = yield* Effect.cached(Effect.orDie(ensureTemplate(server, sql)))
      return { createDatabase: copyOf("template1"), createMigrated: Effect.andThen(template, copyOf(TEMPLATE)) }
    })
  )
}

/** The database of a url as the services reach it: through the proxy if there is one, with the way around it. */
export const connections = (url: string) => {
  const [server, proxy] = [inject("postgres"), inject("proxy")]
  return proxy === "" ? { databaseUrl: url } : { databaseUrl: url.replace(server, proxy), databaseDirectUrl: url }
}

/** The url of the layer's own database. */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: string }>()(
  "sweep/test/TestDatabase"
) {}

const urlOf = (create: (server: TestServer["Service"]) => TestServer["Service"]["createDatabase"]) =>
  Layer.effect(
    TestDatabase,
    Effect.gen(function* () {
      return { url: yield* create(yield* TestServer) }
    })
  ).pipe(Layer.provide(TestServer.layer), Layer.orDie)

/** A fresh, empty database. */
export const testDatabaseUrl: Layer.Layer<TestDatabase> = urlOf(({ createDatabase }) => createDatabase)

/** A fresh database with the schemas of both services. */
export const migratedDatabaseUrl: Layer.Layer<TestDatabase> = urlOf(({ createMigrated }) => createMigrated)

const clientOf = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url: Redacted.make(url), maxConnections: 10 }))
).pipe(Layer.orDie)

/** A client of a fresh, empty database, with the database's url beside it. */
export const testDatabase = clientOf.pipe(Layer.provideMerge(testDatabaseUrl))

/** A client of a fresh database with the schemas of both services, with the database's url beside it. */
export const migratedDatabase = clientOf.pipe(Layer.provideMerge(migratedDatabaseUrl))
