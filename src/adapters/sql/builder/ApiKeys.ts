/** Keys in `builder.api_keys`, one row per builder. */
import { Array as Arr, Clock, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Hash } from "../../../domain/Hex.ts"
import { ApiKeys } from "../../../ports/builder/ApiKeys.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

/** Milliseconds between two updates of a key's last use, so that a busy key is not written with every quote. */
const NOTED_EVERY_MILLIS = 60_000

const decode = Rows.decode(
  Schema.Struct({
    hash: Hash,
    prefix: Schema.String,
    created_at: Rows.Millis,
    last_used_at: Schema.NullOr(Rows.Millis)
  })
)

export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const replace: ApiKeys["Service"]["replace"] = Effect.fn("ApiKeys.replace")(function* (builderId, key) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* sql`INSERT INTO builder.api_keys (builder_id, hash, prefix, created_at)
        VALUES (${builderId}, ${key.hash}, ${key.prefix}, ${now})
        ON CONFLICT (builder_id) DO UPDATE
        SET hash = excluded.hash, prefix = excluded.prefix, created_at = excluded.created_at, last_used_at = NULL`
    }, guarded("ApiKeys.replace"))

    const resolve: ApiKeys["Service"]["resolve"] = Effect.fn("ApiKeys.resolve")(function* (hash) {
      const rows = yield* sql`SELECT b.*, k.last_used_at FROM builder.api_keys k
        JOIN builder.builders b ON b.id = k.builder_id WHERE k.hash = ${hash}`
      const builder = Arr.head(yield* Rows.builders(rows))
      const now = yield* Clock.currentTimeMillis
      const lastUsed = rows[0]?.["last_used_at"]
      if (rows.length > 0 && (!(lastUsed instanceof Date) || lastUsed.getTime() <= now - NOTED_EVERY_MILLIS)) {
        yield* sql`UPDATE builder.api_keys SET last_used_at = ${timestamp(now)} WHERE hash = ${hash}`
      }
      return builder
    }, guarded("ApiKeys.resolve"))

    const of: ApiKeys["Service"]["of"] = Effect.fn("ApiKeys.of")(function* (builderId) {
      const rows = yield* decode(yield* sql`SELECT * FROM builder.api_keys WHERE builder_id = ${text(builderId)}`)
      return Arr.head(
        rows.map((row) => ({
          hash: row.hash,
          prefix: row.prefix,
          createdAtMs: row.created_at,
          ...Rows.present({ lastUsedAtMs: row.last_used_at })
        }))
      )
    }, guarded("ApiKeys.of"))

    return ApiKeys.of({ replace, resolve, of })
  })
)
