/** Decisions about transactions that no pass of the watcher waits for. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

/** Time in which a decision about a transaction must end, in milliseconds. Each request to a node has a much shorter timeout. */
const ASIDE_MILLIS = 300_000

/**
 * Makes `decideAside(id, decision)`, which begins a decision about a transaction and does not wait for it, and `isDeciding(id)`, true
 * until its end. One that fails is made again by a later pass.
 */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const deciding = new Set<string>()

  const decideAside = (id: string, decision: Effect.Effect<unknown, StoreUnavailable>) =>
    Effect.suspend(() => {
      deciding.add(id)
      return decision.pipe(
        Effect.timeoutOption(ASIDE_MILLIS),
        Effect.catchTag("StoreUnavailable", ({ message: detail }) =>
          Effect.annotateLogs(Effect.logWarning("watch.undecided"), { transaction: id, detail })
        ),
        Effect.ensuring(Effect.sync(() => deciding.delete(id))),
        Effect.forkIn(scope)
      )
    })

  return { decideAside, isDeciding: (id: string): boolean => deciding.has(id) }
})
