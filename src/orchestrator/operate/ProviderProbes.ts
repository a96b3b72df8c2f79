/** The external services that `GET /admin/health` reports on, each with a cheap request that checks it. */
import { Context, type Effect } from "effect"

export interface ProviderProbe {
  readonly name: string
  /** Succeeds when the provider gives a usable answer. */
  readonly probe: Effect.Effect<unknown, unknown>
}

/** Probes of the configured providers. Default: none. */
export const ProviderProbes = Context.Reference<ReadonlyArray<ProviderProbe>>("sweep/orchestrator/ProviderProbes", {
  defaultValue: () => []
})
