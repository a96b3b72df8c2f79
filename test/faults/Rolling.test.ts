/**
 * Replicas of two releases on one database, which has the schema of the newer one. `./sweep test previous` runs it with the program of
 * the release before. Otherwise both replicas have this release.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 300_000

/** Program of the release before, as `scripts/check-previous.ts` says. */
const PREVIOUS = process.env["SWEEP_PREVIOUS_PROGRAM"]

layer(Scene.layer, { excludeTestServices: true })("A rolling upgrade", (it) => {
  it.effect(
    "leaves the release before able to quote, accept and deliver, alone and beside this release",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const before = yield* scene.orchestrator(route, {}, PREVIOUS === undefined ? {} : { program: PREVIOUS })
        const first = yield* scene.quote(before.client)
        yield* scene.submit(before.client, first)
        yield* scene.delivered(before.client, first)
        yield* scene.check

        const quoted = yield* Effect.replicateEffect(scene.quote(before.client), 2)
        const after = yield* scene.orchestrator(route)
        quoted.push(...(yield* Effect.replicateEffect(scene.quote(after.client), 2)))
        // Each is accepted by the other release than the one that quoted it, or by its own.
        const clients = [after.client, before.client, before.client, after.client]
        yield* Effect.forEach(quoted, (sweep, index) => scene.submit(clients[index] ?? after.client, sweep), {
          concurrency: "unbounded"
        })
        for (const sweep of quoted) yield* scene.delivered(after.client, sweep)
        assert.lengthOf((yield* scene.check).settlements, 1 + quoted.length)
      }),
    TIMEOUT
  )
})
