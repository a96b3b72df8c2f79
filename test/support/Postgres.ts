/** A real PostgreSQL for tests: one server per test file, a fresh database per layer. */
import * as BunServices from "@effect/platform-bun/BunServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Exit, Layer, Random, Redacted, Scope } from "effect"
import { afterAll } from "vitest"
import * as Postgres from "../../src/devnet/Postgres.ts"
import { withLiveClock } from "./LiveClock.ts"

/** The server that the databases of a test file share. */
export class TestServer extends Context.Service<TestServer, Postgres.PostgresServer>()("sweep/test/TestServer") {
  static readonly layer = Layer.effect(TestServer, withLiveClock(Postgres.start({ durable: false }))).pipe(
    Layer.provide(BunServices.layer)
  )
}

/** The url of the layer's own database. */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: string }>()(
  "sweep/test/TestDatabase"
) {}

const memo = Layer.makeMemoMapUnsafe()
const fileScope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(fileScope, Exit.void)))

/** A fresh, empty database on a server that this file's other layers share. */
export const testDatabaseUrl: Layer.Layer<TestDatabase> = Layer.effect(
  TestDatabase,
  Effect.gen(function* () {
    const server = Context.get(yield* Layer.buildWithMemoMap(TestServer.layer, memo, fileScope), TestServer)
    const suffix = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
    return { url: yield* server.createDatabase(`test_${suffix}`) }
  })
).pipe(Layer.orDie)

/** A client of a fresh, empty database, with the database's url beside it. */
export const testDatabase = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url: Redacted.make(url), maxConnections: 10 }))
).pipe(Layer.orDie, Layer.provideMerge(testDatabaseUrl))
