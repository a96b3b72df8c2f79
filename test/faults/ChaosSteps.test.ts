/** Steps of a chaos run that are quick to play, one of each kind. Chaos.test.ts has the kills and reorganisations. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger } from "effect"
import * as Run from "../../chaos/Run.ts"
import type { Kind } from "../../chaos/steps/Deck.ts"

const TIMEOUT = 300_000
const SEED = "3"

const QUICK: ReadonlyArray<Kind> = [
  "lagging logs",
  "skewed clocks",
  "poisoned relay transaction",
  "payout changed",
  "payout reorganised",
  "wallets"
]

layer(Layer.mergeAll(BunServices.layer, Logger.layer([])), { excludeTestServices: true })("A chaos run", (it) => {
  it.effect(
    "of steps loses nothing, repeats nothing, and leaves books and alerts right",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-chaos-" })
        const said: Array<string> = []
        const options = { kills: 0, reorgs: 0, steps: QUICK.length, only: QUICK, seed: SEED, isTimed: false, directory }
        const { findings } = yield* Run.run(options, (line) => Effect.sync(() => void said.push(line)))
        assert.deepStrictEqual(findings, [], said.join("\n"))
        const told = JSON.parse(said.find((line) => line.startsWith("{")) ?? "{}")
        // Findings without anything to find them in would be worth nothing.
        assert.strictEqual(told.kinds, QUICK.length)
        assert.isAbove(told.acknowledged, 2 * QUICK.length)
        assert.isAbove(told.accruals, 2 * QUICK.length)
        assert.isAbove(told.batches, QUICK.length)
      }),
    TIMEOUT
  )
})
