/** Who changes a running orchestrator, for the record of changes. */

/** The orchestrator has one operator, who has the admin token. */
export const ACTOR = "admin-token"
