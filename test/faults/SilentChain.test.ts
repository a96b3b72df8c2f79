/** One chain goes silent while deposits wait for it, and the others work as before. */
import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import { pass, swallow } from "../support/FaultProxy.ts"
import { TestNetwork } from "../support/Network.ts"
import { freshOwner } from "../support/Services.ts"
import type * as SweepClient from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

const TIMEOUT = 120_000
const SWEEPS = 5
const DEPOSITS = 6

/** A sweep may take this many times as long as the slowest before, and a second more. */
const TOLERANCE = 2

layer(Scene.layer, { excludeTestServices: true, timeout: "60 seconds" })("A silent chain", (it) => {
  it.effect(
    "delays no sweep of another chain, also while deposits wait for it",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const { client } = yield* scene.orchestrator(route)
        const [, beta] = (yield* TestNetwork).chains
        assert.isDefined(beta)

        /** Milliseconds from the submission to the end of the slowest of some sweeps, one after another. */
        const slowest = Effect.fnUntraced(function* (sweeps: ReadonlyArray<Scene.Sweep>) {
          const durations = yield* Effect.forEach(sweeps, (sweep) =>
            Effect.map(
              Effect.timed(Effect.andThen(scene.submit(client, sweep), scene.delivered(client, sweep))),
              ([duration]) => Duration.toMillis(duration)
            )
          )
          return Math.max(...durations)
        })
        const quotes = Effect.replicateEffect(scene.quote(client), SWEEPS)
        const before = yield* slowest(yield* quotes)

        const later = yield* quotes
        const deposits = yield* Effect.replicateEffect(
          Effect.gen(function* () {
            const owner = yield* freshOwner(scene.alpha, "DAI", "50")
            const request: SweepClient.SweepRequest = {
              owner: owner.address,
              chain: scene.alpha.info,
              tokenIn: "DAI",
              amountIn: "50",
              tokenOut: "DAI",
              destChain: DevNetwork.describe(beta)
            }
            return yield* scene.quoteFor(client, owner, request)
          }),
          DEPOSITS
        )
        yield* route.beta.react(() => swallow)
        for (const deposit of deposits) yield* scene.submit(client, deposit)
        const during = yield* slowest(later)
        for (const deposit of deposits) assert.strictEqual(yield* scene.status(client, deposit), "settled_source")
        assert.isBelow(during, TOLERANCE * before + 1_000)

        yield* route.beta.react(() => pass)
        for (const deposit of deposits) yield* scene.delivered(client, deposit)
        yield* scene.check
      }),
    TIMEOUT
  )
})
