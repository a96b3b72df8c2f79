/** {@link BuilderAttribution} from a table of API keys that tests can change. */
import { Context, Effect, Layer, Option, Redacted, Ref } from "effect"
import type { Attribution } from "../../../domain/Builder.ts"
import { AttributionUnavailable, BuilderAttribution } from "../../../ports/orchestrator/BuilderAttribution.ts"

export interface State {
  /** By the plain key, so this adapter is for tests only. */
  readonly builders: ReadonlyMap<string, Attribution>
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class BuilderAttributionState extends Context.Service<BuilderAttributionState, Ref.Ref<State>>()(
  "sweep/adapters/memory/BuilderAttributionState"
) {}

export const layer = (initial: Partial<State> = {}): Layer.Layer<BuilderAttribution | BuilderAttributionState> =>
  Layer.effect(
    BuilderAttribution,
    Effect.map(BuilderAttributionState, (state) => ({
      resolve: Effect.fn("BuilderAttribution.resolve")(function* (apiKey) {
        const { available, builders } = yield* Ref.get(state)
        if (!available) return yield* new AttributionUnavailable({ detail: "turned off" })
        return Option.fromUndefinedOr(builders.get(Redacted.value(apiKey)))
      })
    }))
  ).pipe(
    Layer.provideMerge(
      Layer.effect(BuilderAttributionState, Ref.make({ builders: new Map(), available: true, ...initial }))
    )
  )
