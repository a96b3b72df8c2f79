/** Contract of every {@link SweepSimulation}. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { SweepSimulation } from "../../../src/ports/orchestrator/SweepSimulation.ts"

/** Orders of one owner who holds the swept amounts. The adapter's test creates them. */
export class SimulationScene extends Context.Service<
  SimulationScene,
  {
    readonly chainId: ChainId
    readonly good: SweepOrder
    /** Makes the adapter refuse, and returns the order that it must refuse. */
    readonly reverting: Effect.Effect<SweepOrder>
  }
>()("sweep/test/SimulationScene") {}

export const suite = <E>(name: string, adapter: Layer.Layer<SweepSimulation | SimulationScene, E>) =>
  layer(adapter, { excludeTestServices: true })(`SweepSimulation: ${name}`, (it) => {
    it.effect("runs a good order again and again: its output, at least its minimum, and its gas", () =>
      Effect.gen(function* () {
        const simulation = yield* SweepSimulation
        const { chainId, good } = yield* SimulationScene
        const first = yield* simulation.run(chainId, good)
        assert.isTrue(first.amountOut >= good.minAmountOut)
        assert.isTrue(first.gas > 100_000n && first.gas < 2_000_000n)
        assert.deepStrictEqual(yield* simulation.run(chainId, good), first)
      })
    )

    it.effect("says why an order would revert", () =>
      Effect.gen(function* () {
        const simulation = yield* SweepSimulation
        const { chainId, reverting } = yield* SimulationScene
        const failure = yield* Effect.flip(simulation.run(chainId, yield* reverting))
        assert.strictEqual(failure._tag, "SimulationFailed")
        assert.match(failure.message, /\w+/)
      })
    )
  })
