/** A service whose DATABASE_URL leads to a proxy. Two databases of one server stand for the proxy and for the server behind it. */
import { expect, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { TestDatabase, TestServer, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const opened = (url: string, directUrl?: string) =>
  Effect.map(
    Layer.build(
      Database.layer({
        url: Redacted.make(url),
        directUrl: directUrl === undefined ? undefined : Redacted.make(directUrl),
        poolSize: 1
      })
    ),
    Context.get(PgClient.PgClient)
  )

const databaseOf = (sql: PgClient.PgClient) =>
  Effect.map(sql<{ name: string }>`SELECT current_database() AS name`, ([row]) => row?.name)

const kept = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<{ count: number; timeout: string }>`
      SELECT count(*)::int AS count, current_setting('statement_timeout') AS timeout FROM pg_prepared_statements`,
    ([row]) => row
  )

layer(TestServer.layer, { excludeTestServices: true })("a database behind a proxy", (it) => {
  it.effect("is listened to and migrated without the proxy, and asked through it", () =>
    Effect.gen(function* () {
      const { createDatabase } = yield* TestServer
      const [proxy, direct] = [yield* createDatabase, yield* createDatabase]
      const sql = yield* opened(proxy, direct)
      const [migrating, other] = [
        yield* Effect.provideService(Database.unlimited, PgClient.PgClient, sql).pipe(Effect.provide(Reactivity.layer)),
        yield* opened(direct)
      ]
      const behind = yield* databaseOf(other)
      expect(yield* databaseOf(sql)).not.toBe(behind)
      expect(yield* databaseOf(migrating)).toBe(behind)
      const heard = yield* sql.listen("wakes")
      yield* other.notify("wakes", "from behind")
      expect(yield* Queue.take(heard)).toMatchObject({ payload: "from behind" })
    })
  )

  it.effect("keeps nothing in a connection through the proxy, which the next transaction may not have", () =>
    Effect.gen(function* () {
      const url = yield* (yield* TestServer).createDatabase
      const [straight, proxied] = [yield* opened(url), yield* opened(url, url)]
      yield* kept(straight)
      expect(yield* kept(straight)).toEqual({ count: 1, timeout: "3s" })
      yield* kept(proxied)
      expect(yield* kept(proxied)).toEqual({ count: 0, timeout: "0" })
    })
  )

  it.effect("compiles no plan of a claim, with the proxy and without it: that takes longer than a statement may", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const straight = yield* opened(url)
      const [setting] = yield* straight<{ jit: string }>`SELECT current_setting('jit') AS jit`
      expect(setting).toEqual({ jit: "off" })
      const functions = yield* straight<{ name: string }>`
        SELECT proname AS name FROM pg_proc
        WHERE proname IN ('claim_intents', 'allocate_nonce') AND 'jit=off' = ANY(proconfig) ORDER BY 1`
      expect(functions.map(({ name }) => name)).toEqual(["allocate_nonce", "claim_intents"])
    }).pipe(Effect.provide(migratedDatabaseUrl))
  )
})
