/** Reads which database a connection leads to. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { DatabaseIdentity } from "../../../domain/doctor/DatabaseIdentity.ts"

/** Fails if the connection gives no answer. */
export const read = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [row] = yield* sql<{ database: string; oid: string; started: string; readable: boolean }>`
    SELECT current_database() AS database, (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS oid,
      extract(epoch FROM pg_postmaster_start_time())::text AS started,
      has_function_privilege('pg_control_system()', 'EXECUTE') AS readable`
  // Managed servers may refuse the function, also to a role that has the right.
  const [cluster] = yield* row?.readable === true
    ? Effect.orElseSucceed(sql<{ id: string }>`SELECT system_identifier::text AS id FROM pg_control_system()`, () => [])
    : Effect.succeed([])
  return {
    database: row?.database ?? "",
    oid: row?.oid ?? "",
    systemIdentifier: cluster?.id,
    startedAt: row?.started ?? ""
  } satisfies DatabaseIdentity
})
