/** {@link Overrides} of the orchestrator in memory, for tests. */
import { Effect, Layer, Ref } from "effect"
import { Overrides } from "../../../ports/shared/Overrides.ts"
import * as SharedOverrides from "../shared/Overrides.ts"
import { OrchestratorState } from "./OrchestratorState.ts"

export const layer = Layer.effect(
  Overrides,
  Effect.flatMap(OrchestratorState, ({ state }) =>
    SharedOverrides.make((record, atMs) =>
      Ref.update(state, (current) => ({
        ...current,
        operatorLog: [{ ...record, id: String(current.operatorLog.length + 1), atMs }, ...current.operatorLog]
      }))
    )
  )
).pipe(Layer.provide(OrchestratorState.layer))
