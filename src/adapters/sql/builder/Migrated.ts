/** The builder backend's schema, brought up to date. */
import { Layer } from "effect"
import { migrations } from "../../../../migrations/builder/index.ts"
import * as Migrations from "../shared/Migrations.ts"

/** Runs what is missing; returns the names of the migrations that ran. */
export const migrate = Migrations.migrate("builder", migrations)

/** Builds when the schema is up to date. */
export const layer = Layer.effectDiscard(migrate)
