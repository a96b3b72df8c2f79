/** The orchestrator's schema, brought up to date. */
import { Layer } from "effect"
import { migrations } from "../../../../migrations/orchestrator/index.ts"
import * as Migrations from "../shared/Migrations.ts"

/** Runs what is missing; returns the names of the migrations that ran. */
export const migrate = Migrations.migrate("orchestrator", migrations)

/** Builds when the schema is up to date. */
export const layer = Layer.effectDiscard(migrate)
