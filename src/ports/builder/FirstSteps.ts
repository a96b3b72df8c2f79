/** First events of each builder. */
import { Context, type Effect } from "effect"
import type { Milestones } from "../../domain/Milestones.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export class FirstSteps extends Context.Service<
  FirstSteps,
  {
    /** Notes a quote that was attributed at `atMs` (UNIX milliseconds). Only the first one counts. The builder must exist. */
    readonly noteQuote: (builderId: string, atMs: number) => Effect.Effect<void, StoreUnavailable>
    /** First events of the builder, apart from its keys. Reads few rows, regardless of the number of sweeps. */
    readonly of: (builderId: string) => Effect.Effect<Omit<Milestones, "keyCreatedAtMs">, StoreUnavailable>
  }
>()("sweep/ports/FirstSteps") {}
