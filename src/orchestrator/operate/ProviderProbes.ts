/** The outside services that `GET /admin/health` reports on, each with the cheapest question that it must answer. */
import { Context, type Effect } from "effect"

export interface ProviderProbe {
  readonly name: string
  /** Succeeds when the provider answers usably. */
  readonly probe: Effect.Effect<unknown, unknown>
}

/** What the wiring knows of its providers; none unless it says so. */
export const ProviderProbes = Context.Reference<ReadonlyArray<ProviderProbe>>("sweep/orchestrator/ProviderProbes", {
  defaultValue: () => []
})
