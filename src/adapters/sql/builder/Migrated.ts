/** Migrates the builder backend's schema. */
import { Layer } from "effect"
import { migrations } from "../../../../migrations/builder/index.ts"
import * as Migrations from "../shared/Migrations.ts"

/** Runs the pending migrations; returns their names. */
export const migrate = Migrations.migrate("builder", migrations)

/** Builds as soon as the schema is up to date. */
export const layer = Layer.effectDiscard(migrate)
