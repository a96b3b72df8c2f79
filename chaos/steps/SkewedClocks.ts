/** A step in which two replicas disagree about the time. */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { besides, joined, type Step } from "./Step.ts"

const PRELOADED = fileURLToPath(new URL("./ClockShift.ts", import.meta.url))

export interface Skew {
  /** Difference of the last replica's clock from all other clocks, in seconds. */
  readonly seconds: number
  readonly millis: number
}

export const skewedClocks = ({ millis, seconds }: Skew): Step => ({
  name: `clock of one replica off by ${seconds} s (${millis} ms)`,
  explains: () => false,
  mayFail: false,
  play: (stage) =>
    Effect.gen(function* () {
      const { alpha, beta, slots } = stage.world
      const skewed = slots.at(-1)
      if (skewed === undefined) return yield* Effect.die(new Error("a world has slots"))
      const restarted = (env: Readonly<Record<string, string>>) =>
        Effect.andThen(
          skewed.down,
          Effect.suspend(() => (skewed.configure(env), skewed.up))
        )
      yield* Effect.acquireRelease(
        restarted({
          BUN_OPTIONS: `--preload=${PRELOADED}`,
          CHAOS_CLOCK_SHIFT_MILLIS: String(seconds * 1_000)
        }),
        () => Effect.orDie(Effect.andThen(restarted({}), stage.world.endLeases))
      )
      yield* stage.traffic.hindered(alpha, beta)
      const parts = yield* Effect.forEach([alpha, beta], (place) => besides(stage, place, millis / 2))
      return joined(parts)
    }).pipe(Effect.scoped)
})
