/** A real PostgreSQL for tests: one server for the whole run, a fresh database per layer. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** Url of the server, without a database. PostgresSetup.ts starts it. */
    readonly postgres: string
  }
}

/** The server that all databases of the run share. */
export class TestServer extends Context.Service<
  TestServer,
  {
    /** Creates an empty database that is dropped with the scope, and returns its url. */
    readonly createDatabase: Effect.Effect<string, SqlError, Scope.Scope>
  }
>()("sweep/test/TestServer") {
  static readonly layer = Layer.effect(
    TestServer,
    Effect.gen(function* () {
      const server = inject("postgres")
      const sql = yield* PgClient.make({ url: Redacted.make(`${server}/postgres`), maxConnections: 1 }).pipe(
        Effect.provide(Reactivity.layer)
      )
      const createDatabase = Effect.gen(function* () {
        // Not by the services of the test, whose random numbers repeat.
        const name = `test_${crypto.randomUUID()}`
        yield* Effect.acquireRelease(sql`CREATE DATABASE ${sql(name)}`, () =>
          Effect.orDie(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
        )
        return `${server}/${name}`
      })
      return { createDatabase }
    })
  )
}

/** The url of the layer's own database. */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: string }>()(
  "sweep/test/TestDatabase"
) {}

/** A fresh, empty database. */
export const testDatabaseUrl: Layer.Layer<TestDatabase> = Layer.effect(
  TestDatabase,
  Effect.gen(function* () {
    const server = yield* TestServer
    return { url: yield* server.createDatabase }
  })
).pipe(Layer.provide(TestServer.layer), Layer.orDie)

/** A client of a fresh, empty database, with the database's url beside it. */
export const testDatabase = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url: Redacted.make(url), maxConnections: 10 }))
).pipe(Layer.orDie, Layer.provideMerge(testDatabaseUrl))
