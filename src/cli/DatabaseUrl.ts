/** The database of a service: the operator's, or an embedded one for trying things out. */
import { Effect, Option, Path, Redacted } from "effect"
import * as Postgres from "../devnet/Postgres.ts"
import { projectRoot } from "./Project.ts"

/** Every PostgreSQL has it. */
const DATABASE = "postgres"

/** What DATABASE_URL says; without it, a PostgreSQL under `.sweep/` that lives as long as the scope. */
export const databaseUrl = Effect.fnUntraced(function* (configured: Option.Option<Redacted.Redacted>) {
  if (Option.isSome(configured)) return configured.value
  const path = yield* Path.Path
  const server = yield* Postgres.start({ dataDirectory: path.join(projectRoot, ".sweep", "postgres") })
  yield* Effect.logInfo("DATABASE_URL is not set: using an embedded PostgreSQL under .sweep/postgres")
  return Redacted.make(server.url(DATABASE))
})
