/**
 * Fixed windows in memory: one count per key that starts with the first request and ends a whole window later.
 *
 * Replaces `fixedWindow` of Effect's memory store, which extends a window with each request, so that a client can exceed the
 * limit within one window, and which never removes a key. The other operations are Effect's. Replicas count separately. A
 * shared store is another layer of the same service.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"

interface Window {
  count: number
  readonly endsAt: number
}

/** Ended windows are removed whenever the number of windows has doubled since the last removal. */
const FIRST_SWEEP = 1_024

export const layerMemory: Layer.Layer<RateLimiter.RateLimiterStore> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const base = yield* RateLimiter.RateLimiterStore
    const windows = new Map<string, Window>()
    let sweepAt = FIRST_SWEEP

    const sweep = (now: number) => {
      for (const [key, window] of windows) {
        if (window.endsAt <= now) windows.delete(key)
      }
      sweepAt = Math.max(FIRST_SWEEP, windows.size * 2)
    }

    const begin = (key: string, windowMillis: number, now: number): Window => {
      if (windows.size >= sweepAt) sweep(now)
      const window = { count: 0, endsAt: now + windowMillis }
      windows.set(key, window)
      return window
    }

    return RateLimiter.RateLimiterStore.of({
      ...base,
      fixedWindow: (options) => {
        const { key, limit, refillRate, tokens } = options
        // Without a limit the caller waits instead of being refused, so there is no window to count in.
        if (limit === undefined) return base.fixedWindow(options)
        return Effect.map(Clock.currentTimeMillis, (now) => {
          const standing = windows.get(key)
          const window =
            standing !== undefined && standing.endsAt > now
              ? standing
              : begin(key, Math.round(Duration.toMillis(refillRate) * limit), now)
          const count = window.count + tokens
          if (count <= limit) window.count = count
          return [count, window.endsAt - now] as const
        })
      }
    })
  })
).pipe(Layer.provide(RateLimiter.layerStoreMemory))
