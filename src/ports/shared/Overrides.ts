/** Values that an operator chose in place of settings, with the record of who changed what. All replicas of a service share them. */
import { Context, type Effect, type Stream } from "effect"
import type { OperatorRecord } from "../../domain/LaneState.ts"
import type { StoreUnavailable } from "./Store.ts"

/** Change of an operator, for the record. */
export type NewOperatorRecord = Omit<OperatorRecord, "id" | "atMs">

/** A value in place of a setting. */
export interface Override {
  /** Unique, such as `pause:chain:8453`. */
  readonly name: string
  readonly value: string
  readonly actor: string
  readonly reason: string
  /** UNIX milliseconds of the change. */
  readonly sinceMs: number
}

export class Overrides extends Context.Service<
  Overrides,
  {
    /** Every override, by name. */
    readonly all: Effect.Effect<ReadonlyArray<Override>, StoreUnavailable>
    /**
     * Sets an override, or drops it if the value is undefined, and records it in the same step. False if nothing changed: then
     * nothing is recorded. With `expected`, it changes only an override that has this value, or that is absent if it is undefined.
     */
    readonly set: (
      wanted: {
        readonly name: string
        readonly value: string | undefined
        readonly reason: string
        readonly expected?: { readonly value: string | undefined }
      },
      record: NewOperatorRecord
    ) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Stores the same choice in another form, such as encrypted by another key. Who made it and when stays. False if the override no
     * longer has the value `from`.
     */
    readonly restate: (change: {
      readonly name: string
      readonly from: string
      readonly to: string
    }) => Effect.Effect<boolean, StoreUnavailable>
    /** Emits after changes of this process and of others. Emissions can be lost, so also read on a timer. */
    readonly changes: Stream.Stream<void>
  }
>()("sweep/ports/Overrides") {}
