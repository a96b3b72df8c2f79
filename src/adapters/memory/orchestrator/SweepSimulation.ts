/** {@link SweepSimulation} with a result that tests can change. */
import { Context, Effect, Layer, Ref } from "effect"
import { executionLimit } from "../../../domain/RelayGas.ts"
import { ChainUnavailable } from "../../../ports/shared/Chains.ts"
import { SimulationFailed, SweepSimulation } from "../../../ports/orchestrator/SweepSimulation.ts"

export interface State {
  /** Gas that every order uses. */
  readonly gas: bigint
  /** Revert reason of every order. Default: no order reverts. */
  readonly reverts: string | undefined
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class SweepSimulationState extends Context.Service<SweepSimulationState, Ref.Ref<State>>()(
  "sweep/adapters/memory/SweepSimulationState"
) {}

/** Orders deliver their minimum. */
export const layer = (initial: Partial<State> = {}): Layer.Layer<SweepSimulation | SweepSimulationState> =>
  Layer.effect(
    SweepSimulation,
    Effect.map(SweepSimulationState, (state) => ({
      run: Effect.fn("SweepSimulation.run")(function* (chainId, order) {
        const { available, gas, reverts } = yield* Ref.get(state)
        if (!available) return yield* new ChainUnavailable({ chainId, method: "simulate", detail: "turned off" })
        if (reverts !== undefined) return yield* new SimulationFailed({ detail: reverts })
        const limits = { execution: executionLimit(gas), transaction: 2n * executionLimit(gas) - gas }
        return { amountOut: order.minAmountOut, gas, limits, dataGas: 0n, dataFee: 0n }
      })
    }))
  ).pipe(
    Layer.provideMerge(
      Layer.effect(
        SweepSimulationState,
        Ref.make<State>({ gas: 225_000n, reverts: undefined, available: true, ...initial })
      )
    )
  )
