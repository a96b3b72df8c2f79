/** Simulates an unsigned order on the latest state of its source chain. */
import { Context, type Effect, Schema } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { ChainUnavailable } from "../shared/Chains.ts"
import type { Surroundings } from "../shared/Simulation.ts"

/** The order would revert. */
export class SimulationFailed extends Schema.TaggedError<SimulationFailed>()("SimulationFailed", {
  detail: Schema.String,
  /** Name of the Solidity error with which the order reverted, if it did; see `SweepRevert`. */
  revert: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `the order would revert: ${this.detail}`
  }
}

export interface SimulatedSweep {
  /** Increase of the destination's balance, in the smallest unit of the output token. 0 for a cross-chain order. */
  readonly amountOut: bigint
  /** Expected gas of the whole transaction, including a new delegation and the entry that checks it. */
  readonly gas: bigint
  /** Gas limits with which the sweep will be sent, without the gas of a rollup's data. The order ran with the first of them. */
  readonly limits: {
    /** Of the execution. */
    readonly execution: bigint
    /** Of the transaction of a sweep that is sent alone. */
    readonly transaction: bigint
  }
  /** Additional gas that a rollup charges for publishing the transaction on its base layer. 0 on other chains. */
  readonly dataGas: bigint
  /** Wei that a rollup charges for publishing in addition to all gas. 0 on other chains. */
  readonly dataFee: bigint
  /** True if it ran code of strangers at its destination. Default: false. */
  readonly runsOthersCode?: boolean
}

export class SweepSimulation extends Context.Service<
  SweepSimulation,
  {
    /**
     * Simulates the order as if its owner were delegated and had signed, with the gas limit with which it will be sent. `passing` is
     * that of its route. Default: 0, with which the expected gas is no less than it will be. `block`: see `Surroundings`.
     * `isPlain`: the destination has no code, whatever the chain has there, so that the limits are what a plain account needs.
     */
    readonly run: (
      chainId: ChainId,
      order: SweepOrder,
      options?: { readonly passing?: number; readonly block?: Surroundings["block"]; readonly isPlain?: boolean }
    ) => Effect.Effect<SimulatedSweep, SimulationFailed | ChainUnavailable>
  }
>()("sweep/ports/SweepSimulation") {}
