/** `./sweep migrate`: the databases, brought up to date. The services do it too when they start. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Database from "../adapters/sql/Database.ts"
import * as Migrated from "../adapters/sql/orchestrator/Migrated.ts"
import { CommonConfig } from "../config.ts"
import { databaseUrl } from "./DatabaseUrl.ts"

export const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const config = yield* CommonConfig
    const url = yield* databaseUrl(config.databaseUrl)
    const applied = yield* Migrated.migrate.pipe(Effect.provide(Database.layer({ url, poolSize: 1 })))
    yield* Console.log(applied.length === 0 ? "up to date" : applied.map((name) => `applied ${name}`).join("\n"))
  }).pipe(Effect.scoped)
).pipe(Command.withDescription("Bring the database schemas up to date"))
