/** {@link Heartbeats} in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import { nameOf } from "../../../domain/Role.ts"
import { Heartbeats } from "../../../ports/orchestrator/Heartbeats.ts"

export const layer = Layer.sync(Heartbeats, () => {
  const beaten = new Map<string, number>()
  return {
    beat: (posts) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const post of posts) beaten.set(nameOf(post), now)
      }),
    ages: Effect.map(
      Clock.currentTimeMillis,
      (now) => new Map([...beaten].map(([name, atMs]) => [name, now - atMs] as const))
    )
  }
})
