/** Alerts of the builder backend. */
import * as Alerts from "../shared/Alerts.ts"

/** Requires the schema of `Migrated.layer`. */
export const layer = Alerts.inSchema("builder")
