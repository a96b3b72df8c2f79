import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { keccak256, stringToHex } from "viem"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { ApiKeys, KeyLimit } from "../../../../src/ports/builder/ApiKeys.ts"
import { Builders } from "../../../../src/ports/builder/Builders.ts"
import { suite } from "../../../ports/builder/ApiKeys.suite.ts"
import { account } from "../../../support/BuilderAccounts.ts"
import { freshStores } from "../../../support/BuilderStores.ts"
import { besides, session } from "../../../support/LockWaits.ts"
import { migratedDatabaseUrl, TestDatabase } from "../../../support/Postgres.ts"

suite("Postgres", () => freshStores)

const key = (id: string) => ({
  id,
  name: id,
  scopes: ["quote"] as const,
  hash: keccak256(stringToHex(id)),
  prefix: `swp_${id}`,
  createdAtMs: 1_000_000
})

/** The stores, on a database to which another session can connect. */
const onDatabase = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    Stores.layer.pipe(Layer.provide(Database.layer({ url: Redacted.make(url), poolSize: 4 })))
  )
).pipe(Layer.provideMerge(migratedDatabaseUrl))

it.live("a key counts those that another process adds at the same moment", () =>
  Effect.gen(function* () {
    yield* (yield* Builders).create(account("ann", 1))
    const keys = yield* ApiKeys
    const other = yield* session
    const added = yield* besides(
      other,
      other`
        WITH locked AS (SELECT id FROM builder.builders WHERE id = 'ann' FOR UPDATE)
        INSERT INTO builder.named_keys (builder_id, id, name, scopes, hash, prefix, created_at)
        SELECT id, 'other', 'other', '{quote}'::text[], ${key("other").hash}, 'swp_other', now() FROM locked`,
      Effect.flip(keys.add("ann", key("late"), 1))
    )
    assert.deepStrictEqual(added, new KeyLimit({ limit: 1 }))
  }).pipe(Effect.scoped, Effect.provide(onDatabase))
)

it.live("a key that another process revokes at the same moment is revoked once", () =>
  Effect.gen(function* () {
    yield* (yield* Builders).create(account("ann", 1))
    const keys = yield* ApiKeys
    yield* keys.add("ann", key("a"), 1)
    const other = yield* session
    const revoked = yield* besides(
      other,
      other`DELETE FROM builder.named_keys WHERE builder_id = 'ann' AND id = 'a'`,
      keys.revoke("ann", "a", key("unknown").hash)
    )
    assert.deepStrictEqual(revoked, Option.none())
  }).pipe(Effect.scoped, Effect.provide(onDatabase))
)
