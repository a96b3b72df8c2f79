/** Sessions in `builder.sessions`. */
import { Array as Arr, Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Sessions } from "../../../ports/builder/Sessions.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

/** Number of expired rows that an insert deletes: more than it adds, so that the table does not grow without limit. */
const PRUNED = 16

export const layer = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const create: Sessions["Service"]["create"] = Effect.fn("Sessions.create")(function* (session) {
      const millis = yield* Clock.currentTimeMillis
      yield* sql`DELETE FROM builder.sessions WHERE token_hash IN (SELECT token_hash FROM builder.sessions
        WHERE expires_at <= ${yield* boundedTime(sql, millis)} ORDER BY expires_at LIMIT ${PRUNED} FOR UPDATE SKIP LOCKED)`
      yield* sql`INSERT INTO builder.sessions (token_hash, builder_id, created_at, expires_at)
        VALUES (${session.tokenHash}, ${session.builderId}, ${timestamp(millis)}, ${timestamp(session.expiresAtMs)})`
    }, guarded("Sessions.create"))

    const find: Sessions["Service"]["find"] = Effect.fn("Sessions.find")(function* (tokenHash) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const rows = yield* sql`SELECT b.* FROM builder.sessions s JOIN builder.builders b ON b.id = s.builder_id
        WHERE s.token_hash = ${tokenHash} AND s.expires_at > ${now}`
      return Arr.head(yield* Rows.builders(rows))
    }, guarded("Sessions.find"))

    const end: Sessions["Service"]["end"] = Effect.fn("Sessions.end")(function* (tokenHash) {
      yield* sql`DELETE FROM builder.sessions WHERE token_hash = ${tokenHash}`
    }, guarded("Sessions.end"))

    // Rare, so that no index is kept for it. Expired rows are deleted, so the table is small.
    const endAll: Sessions["Service"]["endAll"] = Effect.fn("Sessions.endAll")(function* (builderId) {
      yield* sql`DELETE FROM builder.sessions WHERE builder_id = ${text(builderId)}`
    }, guarded("Sessions.endAll"))

    return Sessions.of({ create, find, end, endAll })
  })
)
