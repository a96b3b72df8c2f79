/** The orchestrator's alerts. */
import * as Alerts from "../shared/Alerts.ts"

/** Needs the migrated schema of `Migrated.layer`. */
export const layer = Alerts.inSchema("orchestrator")
