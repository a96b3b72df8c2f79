/**
 * Cache of the intents that this process works on. The relayer reads an intent when it sends it, so the watcher, which settles
 * it a block later, does not read it again. Use only immutable fields: the order, its digest and its attribution. The cached
 * status may be stale.
 */
import { Context, Effect, Layer } from "effect"
import * as LatestMap from "../../domain/LatestMap.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

/** Intents in the cache. One takes about two kilobytes. */
const CAPACITY = 10_000

export class RecentIntents extends Context.Service<
  RecentIntents,
  {
    readonly remember: (intents: ReadonlyArray<Intent>) => void
    readonly forget: (ids: Iterable<string>) => void
    /** Intents by id. Reads those that are not cached from the store; unknown ids are absent. */
    readonly get: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Intent>, StoreUnavailable>
  }
>()("sweep/orchestrator/RecentIntents") {
  static readonly layer = Layer.effect(
    RecentIntents,
    Effect.gen(function* () {
      const intents = yield* Intents
      const recent = LatestMap.make<string, Intent>(CAPACITY)

      const remember = (added: ReadonlyArray<Intent>) => {
        for (const intent of added) recent.set(intent.id, intent)
      }

      const get = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const found = new Map<string, Intent>()
        const missing: Array<string> = []
        for (const id of ids) {
          const intent = recent.get(id)
          if (intent === undefined) missing.push(id)
          else found.set(id, intent)
        }
        for (const intent of missing.length === 0 ? [] : yield* intents.findAll(missing)) found.set(intent.id, intent)
        return found
      })

      return {
        remember,
        forget: (ids) => {
          for (const id of ids) recent.delete(id)
        },
        get
      }
    })
  )
}
