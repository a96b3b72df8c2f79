/** Checks the PostgreSQL of the settings: its version, schema, settings and clock, that it takes writes, and its direct URL. */
import { Effect, Option, type Redacted, Result } from "effect"
import * as BuilderMigrated from "../../../adapters/sql/builder/Migrated.ts"
import * as OrchestratorMigrated from "../../../adapters/sql/orchestrator/Migrated.ts"
import { describe } from "../../../adapters/sql/shared/Database.ts"
import * as ServerFacts from "../../../adapters/sql/shared/ServerFacts.ts"
import { common } from "../../../config/Common.ts"
import * as Database from "../../../domain/doctor/Database.ts"
import * as DatabaseFacts from "../../DatabaseFacts.ts"
import { BOTH, type Check, type Service } from "../Check.ts"

const SCHEMAS: Readonly<Record<Service, ServerFacts.Options["schemas"][number]>> = {
  orchestrator: { name: "orchestrator", known: OrchestratorMigrated.known },
  "builder-backend": { name: "builder", known: BuilderMigrated.known }
}

const judgedDirect = Effect.fnUntraced(function* (used: Redacted.Redacted, direct: Redacted.Redacted) {
  const [one, other] = yield* Effect.all(
    // Without an answer of the first there is nothing to compare, and it has a finding of its own.
    [Effect.option(DatabaseFacts.identity(used)), Effect.result(DatabaseFacts.identity(direct))],
    { concurrency: 2 }
  )
  if (Result.isFailure(other)) return [Database.judgeFailure("DATABASE_LISTEN_URL", describe(other.failure))]
  return Option.isSome(one) ? Database.judgeDirect(one.value, other.success) : []
})

export const database: Check = {
  name: "database",
  services: BOTH,
  findings: Effect.fnUntraced(function* ({ services }) {
    const url = yield* common.databaseUrl.config
    // The check of settings warns about it. The embedded database is not started.
    if (Option.isNone(url)) return []
    const direct = yield* common.databaseListenUrl.config
    const poolSize = yield* common.databasePoolSize.config
    const judged = ServerFacts.read({
      url: url.value,
      isProxied: Option.isSome(direct),
      poolSize,
      schemas: services.map((service) => SCHEMAS[service])
    }).pipe(
      Effect.map(Database.judge),
      Effect.catchTag("SqlError", (error) => Effect.succeed([Database.judgeFailure("DATABASE_URL", describe(error))]))
    )
    const all = [judged, ...(Option.isSome(direct) ? [judgedDirect(url.value, direct.value)] : [])]
    return (yield* Effect.all(all, { concurrency: "unbounded" })).flat()
  })
}
