/** Checks the PostgreSQL of the settings: its version, schema, settings and clock, and that it takes writes. */
import { Effect, Option } from "effect"
import * as BuilderMigrated from "../../../adapters/sql/builder/Migrated.ts"
import * as OrchestratorMigrated from "../../../adapters/sql/orchestrator/Migrated.ts"
import { describe } from "../../../adapters/sql/shared/Database.ts"
import * as ServerFacts from "../../../adapters/sql/shared/ServerFacts.ts"
import { common } from "../../../config/Common.ts"
import * as Database from "../../../domain/doctor/Database.ts"
import { BOTH, type Check, type Service } from "../Check.ts"

const SCHEMAS: Readonly<Record<Service, ServerFacts.Options["schemas"][number]>> = {
  orchestrator: { name: "orchestrator", known: OrchestratorMigrated.known },
  "builder-backend": { name: "builder", known: BuilderMigrated.known }
}

export const database: Check = {
  name: "database",
  services: BOTH,
  findings: Effect.fnUntraced(function* ({ services }) {
    const url = yield* common.databaseUrl.config
    // The check of settings warns about it. The embedded database is not started.
    if (Option.isNone(url)) return []
    const direct = yield* common.databaseListenUrl.config
    const poolSize = yield* common.databasePoolSize.config
    return yield* ServerFacts.read({
      url: url.value,
      isProxied: Option.isSome(direct),
      poolSize,
      schemas: services.map((service) => SCHEMAS[service])
    }).pipe(
      Effect.map(Database.judge),
      Effect.catchTag("SqlError", (error) => Effect.succeed([Database.judgeFailure("DATABASE_URL", describe(error))]))
    )
  })
}
