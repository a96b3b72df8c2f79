/** `./sweep migrate`: runs the migrations of both services, which the services also do when they start. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Database from "../adapters/sql/shared/Database.ts"
import * as BuilderMigrated from "../adapters/sql/builder/Migrated.ts"
import * as OrchestratorMigrated from "../adapters/sql/orchestrator/Migrated.ts"
import * as DatabaseFacts from "./DatabaseFacts.ts"

export const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const url = yield* DatabaseFacts.directUrl
    const applied = yield* Effect.all({
      orchestrator: OrchestratorMigrated.migrate,
      builder: BuilderMigrated.migrate
    }).pipe(Effect.provide(Database.layer({ url, poolSize: 1 })))
    const lines = Object.entries(applied).flatMap(([schema, names]) => names.map((name) => `applied ${schema}/${name}`))
    yield* Console.log(lines.length === 0 ? "up to date" : lines.join("\n"))
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription("Run the database migrations of both services. The services also run them when they start")
)
