/** Blocks at a fixed pace whose base fee follows a given course. A local node would let it fall to nothing. */
import { Effect, Schedule } from "effect"
import { parseGwei } from "viem"
import type { Place } from "../Holdings.ts"

/** Between blocks. */
const BLOCK_MILLIS = 200

/** Base fee of quiet times, in wei per gas. */
export const QUIET = parseGwei("1")

/** Base fee in wei per gas of the block that is mined at `millis` of `performance.now()`. */
export type Course = (millis: number) => bigint

export interface Market {
  /** Sets the course of the base fee until the scope closes. It is quiet afterwards. */
  readonly follow: (course: Course) => Effect.Effect<void>
  readonly calm: Effect.Effect<void>
}

/** Mines until the scope closes. A node that does not answer is asked again. */
export const start = Effect.fnUntraced(function* ({ dev }: Place) {
  const quiet: Course = () => QUIET
  let course = quiet
  yield* Effect.acquireRelease(
    dev.anvil.ask("mine when told", (node) => node.setAutomine(false)),
    () => Effect.ignore(dev.anvil.ask("mine at once", (node) => node.setAutomine(true)))
  )
  const block = dev.anvil.ask("mine", async (node) => {
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: course(performance.now()) })
    await node.mine({ blocks: 1 })
  })
  yield* Effect.ignore(block).pipe(Effect.repeat(Schedule.spaced(BLOCK_MILLIS)), Effect.forkScoped)
  return {
    follow: (next) => Effect.sync(() => void (course = next)),
    calm: Effect.sync(() => void (course = quiet))
  } satisfies Market
})
