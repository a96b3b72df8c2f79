/** Default keys in `builder.api_keys`, one row per builder, and the others in `builder.named_keys`. */
import { Array as Arr, Clock, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DEFAULT_KEY, DEFAULT_SCOPES, KeyScopes, NOTED_EVERY_MILLIS } from "../../../domain/ApiKey.ts"
import { Hash } from "../../../domain/Hex.ts"
import { ApiKeys, KeyLimit, type StoredApiKey } from "../../../ports/builder/ApiKeys.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

/**
 * Prefix of a default key that was revoked. Its row remains, with the hash of no key, because the release before expects that each
 * builder has one.
 */
const REVOKED = ""

const decode = Rows.decode(
  Schema.Struct({
    key_id: Schema.String,
    key_name: Schema.String,
    key_scopes: KeyScopes,
    key_hash: Hash,
    key_prefix: Schema.String,
    key_created_at: Rows.Millis,
    key_last_used_at: Schema.NullOr(Rows.Millis)
  })
)

const keys = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<StoredApiKey>> =>
  Effect.map(decode(rows), (decoded) =>
    decoded.map((row) => ({
      id: row.key_id,
      name: row.key_name,
      scopes: row.key_scopes,
      hash: row.key_hash,
      prefix: row.key_prefix,
      createdAtMs: row.key_created_at,
      ...Rows.present({ lastUsedAtMs: row.key_last_used_at })
    }))
  )

/** Every key that is not revoked, in the columns that {@link keys} reads. */
const everyKey = (sql: SqlClient.SqlClient) => {
  const common = sql`hash AS key_hash, prefix AS key_prefix, created_at AS key_created_at, last_used_at AS key_last_used_at`
  return sql`(SELECT builder_id, true AS key_is_default, ${DEFAULT_KEY.id}::text AS key_id, ${DEFAULT_KEY.name}::text AS key_name,
      ${DEFAULT_SCOPES}::text[] AS key_scopes, ${common} FROM builder.api_keys WHERE prefix <> ${REVOKED}
    UNION ALL
    SELECT builder_id, false, id, name, scopes, ${common} FROM builder.named_keys)`
}

const replace = (sql: SqlClient.SqlClient): ApiKeys["Service"]["replace"] =>
  Effect.fn("ApiKeys.replace")(function* (builderId, key) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    yield* sql`INSERT INTO builder.api_keys (builder_id, hash, prefix, created_at)
      VALUES (${builderId}, ${key.hash}, ${key.prefix}, ${now})
      ON CONFLICT (builder_id) DO UPDATE
      SET hash = excluded.hash, prefix = excluded.prefix, created_at = excluded.created_at, last_used_at = NULL`
  }, guarded("ApiKeys.replace"))

const add = (sql: SqlClient.SqlClient): ApiKeys["Service"]["add"] =>
  Effect.fn("ApiKeys.add")(
    function* (builderId, key, limit) {
      // Concurrent calls wait here for each other, and then see each other's keys.
      yield* sql`SELECT id FROM builder.builders WHERE id = ${text(builderId)} FOR UPDATE`
      const others = yield* sql`SELECT id FROM builder.named_keys WHERE builder_id = ${text(builderId)}`
      if (others.length >= limit) return yield* new KeyLimit({ limit })
      yield* sql`INSERT INTO builder.named_keys (builder_id, id, name, scopes, hash, prefix, created_at)
        VALUES (${text(builderId)}, ${key.id}, ${text(key.name)}, ${key.scopes}::text[], ${key.hash}, ${key.prefix},
          ${timestamp(key.createdAtMs)})`
    },
    (effect) => sql.withTransaction(effect),
    guarded("ApiKeys.add")
  )

const revoke = (sql: SqlClient.SqlClient): ApiKeys["Service"]["revoke"] =>
  Effect.fn("ApiKeys.revoke")(
    function* (builderId, id, unknown) {
      const table = id === DEFAULT_KEY.id ? sql`builder.api_keys` : sql`builder.named_keys`
      // A concurrent rotation or revocation waits for this one.
      yield* sql`SELECT 1 AS locked FROM ${table} WHERE builder_id = ${text(builderId)} FOR UPDATE`
      const [revoked] = yield* keys(
        yield* sql`SELECT * FROM ${everyKey(sql)} k WHERE builder_id = ${text(builderId)} AND key_id = ${text(id)}`
      )
      if (revoked === undefined) return Option.none()
      yield* id === DEFAULT_KEY.id
        ? sql`UPDATE builder.api_keys SET hash = ${unknown}, prefix = ${REVOKED}, last_used_at = NULL
            WHERE builder_id = ${text(builderId)}`
        : sql`DELETE FROM builder.named_keys WHERE builder_id = ${text(builderId)} AND id = ${text(id)}`
      return Option.some(revoked)
    },
    (effect) => sql.withTransaction(effect),
    guarded("ApiKeys.revoke")
  )

const resolve = (sql: SqlClient.SqlClient): ApiKeys["Service"]["resolve"] =>
  Effect.fn("ApiKeys.resolve")(function* (hash) {
    const rows = yield* sql`SELECT b.*, k.* FROM ${everyKey(sql)} k
      JOIN builder.builders b ON b.id = k.builder_id WHERE k.key_hash = ${hash}`
    const [builder] = yield* Rows.builders(rows)
    const [key] = yield* keys(rows)
    return builder === undefined || key === undefined ? Option.none() : Option.some({ builder, key })
  }, guarded("ApiKeys.resolve"))

const noteUse = (sql: SqlClient.SqlClient): ApiKeys["Service"]["noteUse"] =>
  Effect.fn("ApiKeys.noteUse")(function* (hash, atMs) {
    const isDue = sql`hash = ${hash}
      AND (last_used_at IS NULL OR last_used_at <= ${timestamp(atMs - NOTED_EVERY_MILLIS)})`
    yield* sql`UPDATE builder.api_keys SET last_used_at = ${timestamp(atMs)} WHERE ${isDue}`
    yield* sql`UPDATE builder.named_keys SET last_used_at = ${timestamp(atMs)} WHERE ${isDue}`
  }, guarded("ApiKeys.noteUse"))

const list = (sql: SqlClient.SqlClient): ApiKeys["Service"]["list"] =>
  Effect.fn("ApiKeys.list")(function* (builderId) {
    return yield* keys(
      yield* sql`SELECT * FROM ${everyKey(sql)} k WHERE builder_id = ${text(builderId)}
        ORDER BY key_is_default DESC, key_created_at, key_id`
    )
  }, guarded("ApiKeys.list"))

const of = (sql: SqlClient.SqlClient): ApiKeys["Service"]["of"] =>
  Effect.fn("ApiKeys.of")(function* (builderId) {
    return Arr.head(
      yield* keys(yield* sql`SELECT * FROM ${everyKey(sql)} k WHERE builder_id = ${text(builderId)} AND key_is_default`)
    )
  }, guarded("ApiKeys.of"))

export const layer = Layer.effect(
  ApiKeys,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ApiKeys.of({
      replace: replace(sql),
      add: add(sql),
      revoke: revoke(sql),
      resolve: resolve(sql),
      noteUse: noteUse(sql),
      of: of(sql),
      list: list(sql)
    })
  )
)
