/** The one way to delete rows that grew old: in small batches, so that no deletion delays other statements for long. */
import { Clock, Effect } from "effect"
import * as Background from "./Background.ts"

/** Rows that one statement deletes. */
const BATCH = 1_000

/** Batches of one kind in one round. More old rows wait for the next round. */
const BATCHES = 50

/** Pause between two rounds. */
const PAUSE_MILLIS = 60_000

export interface Aging<E> {
  /** Name in the log. */
  readonly kind: string
  /** Age at which a row is deleted, in milliseconds. */
  readonly keepMillis: number
  /** Deletes up to `limit` rows from before `beforeMs` (UNIX milliseconds), and returns their number. */
  readonly prune: (beforeMs: number, limit: number) => Effect.Effect<number, E>
}

/** Deletes the old rows of a kind, and returns their number. */
export const prune = Effect.fn("Retention.prune")(function* <E>({ keepMillis, kind, prune }: Aging<E>) {
  const before = (yield* Clock.currentTimeMillis) - keepMillis
  let deleted = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const gone = yield* prune(before, BATCH)
    deleted += gone
    if (gone < BATCH) break
  }
  if (deleted > 0) yield* Effect.logInfo("retention.deleted").pipe(Effect.annotateLogs({ kind, rows: deleted }))
  return deleted
})

/** Starts a loop for each kind, until the scope closes. A kind that fails delays no other. */
export const loops = <E>(kinds: ReadonlyArray<Aging<E>>) =>
  Effect.forEach(
    kinds,
    (aging) =>
      Background.loop(
        Background.supervisor("retention", { kind: aging.kind }),
        { pauseMillis: PAUSE_MILLIS },
        prune(aging)
      ),
    { discard: true }
  )
