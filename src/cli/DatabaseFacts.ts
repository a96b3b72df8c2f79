/** The database of a dump or of a restore. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { mapped } from "../adapters/sql/shared/Database.ts"
import { CommonConfig } from "../config/Common.ts"
import { databaseUrl } from "./DatabaseUrl.ts"
import { SCHEMAS } from "./PostgresTools.ts"

/** The URL without a proxy, which PostgreSQL's own programs need. */
export const directUrl = Effect.gen(function* () {
  const { databaseListenUrl, databaseUrl: configured } = yield* CommonConfig
  return yield* Option.isSome(databaseListenUrl) ? Effect.succeed(databaseListenUrl.value) : databaseUrl(configured)
})

/** Major version of the server, its time, and those of the services' schemas that the database has. */
export const read = Effect.fnUntraced(
  function* (url: Effect.Success<typeof directUrl>) {
    const sql = yield* PgClient.make({ url, maxConnections: 1, connectTimeout: "5 seconds" })
    const [row] = yield* sql<{ version: number; now: Date; schemas: ReadonlyArray<string> }>`
      SELECT current_setting('server_version_num')::int AS version, now() AS now,
        ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspname = ANY(${[...SCHEMAS]}) ORDER BY 1) AS schemas`
    return {
      major: Math.floor((row?.version ?? 0) / 10_000),
      nowMs: row?.now.getTime() ?? 0,
      schemas: row?.schemas ?? []
    }
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  mapped("read the server's version")
)
