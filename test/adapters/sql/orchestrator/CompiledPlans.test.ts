/**
 * A server with LLVM compiles the plan of a claim, which took longer than a statement may. No connection allows it: neither one of the
 * service, nor one of a proxy, whose role may forget to forbid it.
 */
import { expect, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import * as IntentStore from "../../../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { TestServer } from "../../../support/Postgres.ts"

/** A database that compiles what it may, and notes what the statements that lease intents may. */
const database = Effect.gen(function* () {
  const url = yield* (yield* TestServer).createMigrated
  const sql = yield* Effect.map(
    Layer.build(PgClient.layer({ url: Redacted.make(url) })),
    Context.get(PgClient.PgClient)
  )
  yield* sql`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$`
  yield* sql`CREATE TABLE noted (jit text)`
  yield* sql`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO noted VALUES (current_setting('jit')); RETURN NULL; END $$`
  yield* sql`CREATE TRIGGER note AFTER UPDATE ON orchestrator.intent_queue FOR EACH STATEMENT EXECUTE FUNCTION note()`
  return { url, noted: sql<{ jit: string }>`DELETE FROM noted RETURNING jit` }
})

const claim = (url: string, directUrl: string | undefined) => {
  const connection = Database.layer({
    url: Redacted.make(url),
    directUrl: directUrl === undefined ? undefined : Redacted.make(directUrl),
    poolSize: 1
  })
  return Effect.scoped(
    Effect.gen(function* () {
      const stores = IntentStore.layer.pipe(Layer.provide(Migrated.layer), Layer.provide(connection))
      const intents = Context.get(yield* Layer.build(stores), Intents)
      yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 1 })
    })
  )
}

layer(TestServer.layer, { excludeTestServices: true })("a claim", (it) => {
  for (const [name, isProxied] of [
    ["a connection of the service", false],
    ["a connection of a proxy", true]
  ] as const) {
    it.effect(`compiles no plan on ${name}`, () =>
      Effect.gen(function* () {
        const { noted, url } = yield* database
        yield* claim(url, isProxied ? url : undefined)
        expect(yield* noted).toEqual([{ jit: "off" }])
      })
    )
  }
})
