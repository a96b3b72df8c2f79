import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { suite } from "../../../ports/builder/Ledger.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

/** `builder.payable` and `builder.chainless` have exactly the entries that the whole ledger says. */
const holds = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const differences = yield* sql`SELECT key, kept::text, counted::text FROM builder.payable_differences
    UNION ALL SELECT key, kept::text, counted::text FROM builder.chainless_differences`
  assert.deepStrictEqual(differences, [])
}).pipe(Effect.orDie)

suite("Postgres", () => freshStores, { histories: 8, commands: 120, holds })
