/** The database of a service: the configured one, or an embedded one for trying the service out. */
import { Effect, Option, Path, Redacted } from "effect"
import * as Postgres from "../devnet/Postgres.ts"
import { projectRoot } from "./Project.ts"

/** Exists in every PostgreSQL cluster. */
const DATABASE = "postgres"

/** Returns DATABASE_URL. If it is not set, starts a PostgreSQL under `.sweep/`, which stops when the scope closes. */
export const databaseUrl = Effect.fnUntraced(function* (configured: Option.Option<Redacted.Redacted>) {
  if (Option.isSome(configured)) return configured.value
  const path = yield* Path.Path
  const server = yield* Postgres.start({ dataDirectory: path.join(projectRoot, ".sweep", "postgres") })
  yield* Effect.logInfo("DATABASE_URL is not set: using an embedded PostgreSQL under .sweep/postgres")
  return Redacted.make(server.url(DATABASE))
})
