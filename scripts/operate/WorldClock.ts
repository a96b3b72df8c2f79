/** The clock of the drill's world: both chains and all processes move forward together, so that an hour passes in minutes. */
import { fileURLToPath } from "node:url"
import { Effect, FileSystem } from "effect"
import type { DevChain } from "../../src/devnet/DevChain.ts"

const PRELOADED = fileURLToPath(new URL("FollowClock.ts", import.meta.url))

/** Time between two blocks while the clock moves, in seconds. */
const BLOCK_SECONDS = 30

/** Time by which the clock moves at once, in seconds. An order may wait for 12 minutes, so it outlives two of these. */
export const LEAP_SECONDS = 120

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-operate-clock-" })
  const file = `${directory}/ahead`
  let aheadSeconds = 0

  // Readers see the old text or the new one, never a part.
  const write = Effect.suspend(() =>
    Effect.andThen(fs.writeFileString(`${file}.new`, String(aheadSeconds * 1_000)), fs.rename(`${file}.new`, file))
  )
  yield* write

  const mined = ({ node }: DevChain) =>
    node.ask("move the clock", async (client) => {
      for (let passed = 0; passed < LEAP_SECONDS; passed += BLOCK_SECONDS) {
        await client.increaseTime({ seconds: BLOCK_SECONDS })
        await client.mine({ blocks: 1 })
      }
    })

  return {
    /** Environment of a process that follows the clock. */
    environment: { BUN_OPTIONS: `--preload=${PRELOADED}`, OPERATE_CLOCK_FILE: file },
    /** Moves the clock by {@link LEAP_SECONDS}. The chains move first, because a bridge refuses deposits from the future. */
    leap: Effect.fnUntraced(function* (chains: ReadonlyArray<DevChain>) {
      yield* Effect.forEach(chains, mined, { concurrency: "unbounded", discard: true })
      aheadSeconds += LEAP_SECONDS
      yield* write
    })
  }
})

export type WorldClock = Effect.Success<typeof make>
