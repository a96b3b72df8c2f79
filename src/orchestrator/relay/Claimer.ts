import { Context } from "effect"

/**
 * Name under which the sweeps at hand were claimed. A worker that was stopped for longer than its lease releases nothing that another one
 * has claimed since. Undefined outside of a claim: releases then apply to every sweep.
 */
export const Claimer = Context.Reference<string | undefined>("sweep/orchestrator/Claimer", {
  defaultValue: () => undefined
})
