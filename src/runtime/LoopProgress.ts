/** Ends of rounds of this process's loops, so that one that hangs is noticed while the process lives. */
import { Clock, Context, Effect, Layer } from "effect"

export interface LoopProgressShape {
  /**
   * Follows a loop that does the work of a post. Call the returned function at the end of each round, with the pause until the next one in
   * milliseconds.
   */
  readonly follow: (post: string) => Effect.Effect<(pauseMillis: number) => Effect.Effect<void>>
  /** Milliseconds by which a round of the post's loops is overdue, the longest of them. 0 if none is, or if the post has no loop. */
  readonly overdue: (post: string) => Effect.Effect<number>
}

/** Default: nothing is followed. */
export const LoopProgress = Context.Reference<LoopProgressShape>("sweep/runtime/LoopProgress", {
  defaultValue: () => ({ follow: () => Effect.succeed(() => Effect.void), overdue: () => Effect.succeed(0) })
})

export const layer = Layer.sync(LoopProgress, () => {
  /** UNIX time in milliseconds at which the next round of each loop should begin, by post. */
  const due = new Map<string, Array<{ atMs: number }>>()
  return {
    follow: Effect.fnUntraced(function* (post) {
      const loop = { atMs: yield* Clock.currentTimeMillis }
      due.set(post, [...(due.get(post) ?? []), loop])
      return (pauseMillis: number) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          loop.atMs = now + pauseMillis
        })
    }),
    overdue: (post) =>
      Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, ...(due.get(post) ?? []).map(({ atMs }) => now - atMs)))
  }
})
