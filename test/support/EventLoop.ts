/** Waiting by turns of the event loop, whose number does not depend on the speed of the machine. */
import { Effect } from "effect"

/** Turns that the work of one moment takes, with a wide margin. */
const TURNS = 100

/**
 * Lets all work happen that waits neither for a clock nor for the world: fibers go on in the next turn, and bodies in memory are
 * read within one. A pause in real time would be over before anything ran when the machine takes the thread's time.
 */
export const settled: Effect.Effect<void> = Effect.promise(async () => {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
})
