/** The builder backend's alerts. */
import * as OrchestratorAlerts from "../orchestrator/Alerts.ts"

/** Needs the migrated schema of `Migrated.layer`. */
export const layer = OrchestratorAlerts.inSchema("builder")
