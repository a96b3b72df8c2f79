/** Migrates the orchestrator's schema. */
import { Effect, Layer } from "effect"
import { migrations } from "../../../../migrations/orchestrator/index.ts"
import * as Migrations from "../shared/Migrations.ts"
import * as StartWait from "../shared/StartWait.ts"

/** Numbers of all migrations of this release. */
export const known: ReadonlyArray<number> = Object.keys(migrations).map((name) => Number.parseInt(name, 10))

/** Runs the pending migrations; returns their names. */
export const migrate = Migrations.migrate("orchestrator", migrations)

/** Builds as soon as the schema is up to date. Waits for a database that is coming up. */
export const layer = Layer.effectDiscard(Effect.andThen(StartWait.forDatabase, migrate))
