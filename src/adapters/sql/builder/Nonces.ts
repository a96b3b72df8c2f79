/** Nonces in `builder.nonces`. Consuming a nonce deletes its row. */
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Hash } from "../../../domain/Hex.ts"
import { Nonces } from "../../../ports/builder/Nonces.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"

/** Number of expired rows that an insert deletes: more than it adds, so that the table does not grow without limit. */
const PRUNED = 16

export const layer = Layer.effect(
  Nonces,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = Effect.map(Clock.currentTimeMillis, timestamp)

    /** Matches the nonce if it can be consumed, by `message` if it is given. */
    const usable = (nonce: string, message?: Hash) =>
      Effect.map(
        now,
        (at) => sql`nonce = ${text(nonce)} AND expires_at > ${at}
          AND (kept_for IS NULL OR kept_for = ${message ?? null}::text)`
      )

    const issue: Nonces["Service"]["issue"] = Effect.fn("Nonces.issue")(function* (nonce, expiresAtMs) {
      const expired = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
      yield* sql`DELETE FROM builder.nonces WHERE nonce IN (SELECT nonce FROM builder.nonces
        WHERE expires_at <= ${expired} ORDER BY expires_at LIMIT ${PRUNED} FOR UPDATE SKIP LOCKED)`
      yield* sql`INSERT INTO builder.nonces (nonce, expires_at) VALUES (${nonce}, ${timestamp(expiresAtMs)})`
    }, guarded("Nonces.issue"))

    const isFresh: Nonces["Service"]["isFresh"] = Effect.fn("Nonces.isFresh")(function* (nonce, message) {
      const rows = yield* sql`SELECT 1 AS fresh FROM builder.nonces WHERE ${yield* usable(nonce, message)}`
      return rows.length === 1
    }, guarded("Nonces.isFresh"))

    const consume: Nonces["Service"]["consume"] = Effect.fn("Nonces.consume")(function* (nonce, message) {
      const rows = yield* sql`DELETE FROM builder.nonces WHERE ${yield* usable(nonce, message)} RETURNING nonce`
      return rows.length === 1
    }, guarded("Nonces.consume"))

    const keepFor: Nonces["Service"]["keepFor"] = Effect.fn("Nonces.keepFor")(function* (nonce, message) {
      const rows =
        yield* sql`UPDATE builder.nonces SET kept_for = ${message} WHERE ${yield* usable(nonce)} RETURNING nonce`
      return rows.length === 1
    }, guarded("Nonces.keepFor"))

    return Nonces.of({ issue, isFresh, consume, keepFor })
  })
)
