import { Context } from "effect"

/**
 * Name under which the sweeps at hand were claimed. A worker that was stopped for longer than its lease neither releases nor gives up what
 * another one has claimed since. Undefined outside of a claim: both then apply to every sweep.
 */
export const Claimer = Context.Reference<string | undefined>("sweep/orchestrator/Claimer", {
  defaultValue: () => undefined
})
