/** Reads of in-memory sweeps. */
import { Array, Effect, Ref } from "effect"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import type { OrchestratorState } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

export const findSweep =
  ({ state }: Shared): Intents["Service"]["findSweep"] =>
  (id) =>
    Effect.map(Ref.get(state), ({ sweeps }) => Array.findFirst(sweeps, (each) => each.id === id))

export const sweepsOf =
  ({ state }: Shared): Intents["Service"]["sweepsOf"] =>
  (owner, { before, limit }) =>
    Effect.map(Ref.get(state), ({ sweeps }) =>
      sweeps
        .filter((each) => each.owner === owner && (before === undefined || each.number < before))
        .toReversed()
        .slice(0, limit)
    )
