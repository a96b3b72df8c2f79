import { Effect, Layer, Ref } from "effect"
import * as Address from "../../../../src/domain/Address.ts"
import { SweepSimulationState } from "../../../../src/adapters/memory/orchestrator/SweepSimulation.ts"
import * as MemorySweepSimulation from "../../../../src/adapters/memory/orchestrator/SweepSimulation.ts"
import type { SweepOrder } from "../../../../src/domain/SweepOrder.ts"
import { SimulationScene, suite } from "../../../ports/orchestrator/SweepSimulation.suite.ts"

const someone = Address.of("0x00000000000000000000000000000000000000aa")

const good: SweepOrder = {
  owner: someone,
  tokenIn: someone,
  amountIn: 100n,
  feeAmount: 3n,
  builder: Address.zero,
  builderFee: 0n,
  tokenOut: someone,
  minAmountOut: 90n,
  destination: someone,
  swapTarget: someone,
  swapCalldata: "0x",
  deadline: 1n,
  nonce: 0n,
  destChainId: 1n
}

const scene = Layer.effect(
  SimulationScene,
  Effect.map(SweepSimulationState, (state) => ({
    chainId: 1,
    good,
    reverting: Effect.as(
      Ref.update(state, (current) => ({ ...current, reverts: "InsufficientOutput" })),
      good
    )
  }))
)

suite("memory", scene.pipe(Layer.provideMerge(MemorySweepSimulation.layer())))
