/** A short chaos run, as `./sweep chaos` plays long ones; the seed is printed with what it found. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Logger, Layer } from "effect"
import * as Run from "../../chaos/Run.ts"

/** Only to end a run that hangs: a busy machine must not make it red. */
const TIMEOUT = 300_000
const SEED = "1"

layer(Layer.mergeAll(BunServices.layer, Logger.layer([])), { excludeTestServices: true })("A chaos run", (it) => {
  const play = Effect.fnUntraced(function* (options: { readonly kills: number; readonly reorgs: number }) {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-chaos-" })
    const said: Array<string> = []
    const { findings } = yield* Run.run({ ...options, seed: SEED, impatient: true, directory }, (line) =>
      Effect.sync(() => void said.push(line))
    )
    assert.deepStrictEqual(findings, [], said.join("\n"))
    // Findings without anything to find them in would be worth nothing.
    const told = said.flatMap((line): ReadonlyArray<Record<string, number>> =>
      line.startsWith("{") ? [JSON.parse(line)] : []
    )
    assert.lengthOf(told, 1)
    return told[0]!
  })

  it.effect(
    "of kills loses nothing and repeats nothing",
    () =>
      Effect.gen(function* () {
        const told = yield* play({ kills: 6, reorgs: 0 })
        assert.isAbove(told["acknowledged"] ?? 0, 6)
        assert.isAbove(told["batches"] ?? 0, 0)
        assert.strictEqual(told["delivered"], told["acknowledged"])
      }),
    TIMEOUT
  )

  it.effect(
    "of reorganisations books each sweep once, wherever it ends up",
    () =>
      Effect.gen(function* () {
        const told = yield* play({ kills: 0, reorgs: 2 })
        assert.strictEqual(told["reorganisations"], 8)
        assert.strictEqual(told["failed"], 2)
      }),
    TIMEOUT
  )
})
