/** Limits that a test never reaches: all its callers come from one machine, and it polls more often than people do. */
import type { ServerSettingsShape } from "../../src/server/shared/ServerSettings.ts"

const WINDOW = { limit: 1_000_000, windowMillis: 60_000 }

export const unlimited: ServerSettingsShape["rateLimits"] = {
  orchestrator: WINDOW,
  attribution: WINDOW,
  signup: WINDOW,
  builder: WINDOW
}
