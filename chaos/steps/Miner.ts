/** Blocks at a fixed pace on one chain, which a step can take over. */
import { Effect, Schedule, Semaphore } from "effect"
import type { Place } from "../Holdings.ts"

/** Between blocks: so that transactions are found waiting, mined and confirmed. */
const BLOCK_MILLIS = 200

export interface Miner {
  /** No block comes while `effect` runs, except those that it mines itself. */
  readonly paused: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Mines until the scope closes. A node that does not answer is asked again. */
export const start = Effect.fnUntraced(function* ({ dev }: Place) {
  const turn = Semaphore.makeUnsafe(1)
  yield* Effect.acquireRelease(
    dev.node.ask("mine when told", (node) => node.setAutomine(false)),
    () => Effect.ignore(dev.node.ask("mine at once", (node) => node.setAutomine(true)))
  )
  yield* turn
    .withPermits(1)(Effect.ignore(dev.node.ask("mine", (node) => node.mine({ blocks: 1 }))))
    .pipe(Effect.repeat(Schedule.spaced(BLOCK_MILLIS)), Effect.forkScoped)
  return { paused: turn.withPermits(1) } satisfies Miner
})
