/** Runs an order before anybody signs it, against the pending state of its source chain. */
import { Context, type Effect, Schema } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { ChainUnavailable } from "../shared/Chains.ts"

/** The order would revert. */
export class SimulationFailed extends Schema.TaggedError<SimulationFailed>()("SimulationFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the order would revert: ${this.detail}`
  }
}

export interface SimulatedSweep {
  /** What the destination's balance rises by; 0 for a cross-chain order. */
  readonly amountOut: bigint
  /** Gas that the execution of the whole transaction is expected to use, a fresh delegation included. */
  readonly gas: bigint
  /** Gas that a rollup charges on top for publishing the transaction on its base layer; 0 where it does not. */
  readonly dataGas: bigint
  /** Wei that a rollup charges for that beside all gas; 0 where it does not. */
  readonly dataFee: bigint
}

export class SweepSimulation extends Context.Service<
  SweepSimulation,
  {
    readonly run: (
      chainId: ChainId,
      order: SweepOrder
    ) => Effect.Effect<SimulatedSweep, SimulationFailed | ChainUnavailable>
  }
>()("sweep/ports/SweepSimulation") {}
