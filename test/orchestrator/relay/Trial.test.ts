/** Sweeps are simulated before they are sent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SimulatedStep } from "../../../src/ports/shared/Simulation.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

describe("the simulation of sweeps before they are sent", () => {
  it.effect("puts no code at an address that a token knows, for one sweep as for several", () => {
    const seen: Array<ReadonlyArray<SimulatedStep>> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      simulate: (steps, options) => {
        seen.push(steps)
        return client.simulate(steps, options)
      }
    }))
    return Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 2 })
      yield* submit({ id: "c", owner: 3 })
      yield* relay
      assert.deepStrictEqual(
        seen.map(({ length }) => length),
        [2, 1]
      )
      // A sender has the code of the simulation, so none is named.
      assert.isTrue(seen.flat().every(({ from }) => from === undefined))
    }).pipe(Effect.provide(nodes))
  })
})
