/** Notices about alerts of the orchestrator. */
import * as AlertNotices from "../shared/AlertNotices.ts"

/** Requires the schema of `Migrated.layer`. */
export const layer = AlertNotices.inSchema("orchestrator")
