/** Attribution of sweeps to a builder. */
import type { SweepRequest } from "../model/Sweep.ts"

/** Adds the client's API key to a request that has none of its own. */
export const attributed = (request: SweepRequest, apiKey: string | undefined): SweepRequest =>
  apiKey === undefined ? request : { apiKey, ...request }
