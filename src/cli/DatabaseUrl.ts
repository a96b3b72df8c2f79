/** The database of a service: the configured one, or an embedded one for trying the service out. */
import { Effect, Option, Path, Redacted } from "effect"
import { KNOWN_CHAINS } from "../catalog/KnownChains.ts"
import { common } from "../config/Common.ts"
import * as Postgres from "../devnet/Postgres.ts"
import { chainsFile } from "./ConfiguredChains.ts"
import { projectRoot } from "./Project.ts"
import { UsageError } from "./UsageError.ts"

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

/** Names of the public chains that the chains file has. */
export const publicChains = Effect.map(chainsFile, (entries) =>
  entries.filter(({ id }) => id in KNOWN_CHAINS).map(({ name }) => name)
)

/**
 * Fails if a public chain is served without DATABASE_URL. An embedded database would begin empty, and its service would use the lanes and
 * the vault of the deployment a second time.
 */
export const databaseOfPublicChains = Effect.gen(function* () {
  if (Option.isSome(yield* common.databaseUrl.config)) return
  const known = yield* publicChains
  if (known.length === 0) return
  return yield* new UsageError({
    detail:
      `${common.databaseUrl.name} is not set, and the chains file has public chains (${known.join(", ")}). ` +
      "Set it to the PostgreSQL of the deployment, such as postgres://user:password@host:5432/sweep. The embedded database is for " +
      "local networks: it begins empty, and does not know what the lanes have sent"
  })
})
