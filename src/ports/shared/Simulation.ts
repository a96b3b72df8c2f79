/** Vocabulary of simulations: calls in order on the latest state, as a transaction of the next block would make them. */
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"

/** One call of a simulated sequence. `from` must not have code that its callees rely on: it has other code meanwhile. */
export interface SimulatedStep {
  readonly to: Address.Address
  readonly data: Hex
  /** Default: the first sender that a step of the sequence names, or a made-up account that is another one in each sequence. */
  readonly from?: Address.Address
  /** Wei. */
  readonly value?: bigint
  /** Gas limit. Default: 5,000,000. */
  readonly gas?: bigint
  /**
   * Makes the call twice. The first one is undone, and only measured. The second one has the gas limit that fits: the measured gas,
   * one part in `share` more, and `extra`. A call that fails the first time is not made again.
   */
  readonly fit?: { readonly share: bigint; readonly extra: bigint }
}

/** Result of one call of a simulated sequence. */
export interface SimulatedCall {
  readonly success: boolean
  /** At most the first 512 bytes. */
  readonly returnData: Hex
  /** Gas of the execution alone: nothing for the transaction around it, and refunds are not taken off. */
  readonly gasUsed: bigint
  /** Gas limit that the call had. Absent unless the step was to be fitted. */
  readonly gasLimit?: bigint
}

/** Surroundings of a simulation, as a transaction of the next block would have them. */
export interface Surroundings {
  /** Sender of the transaction around the calls, a lane. It has its own balance. */
  readonly origin: Address.Address
  /** Gas limit of that transaction, which its sender has paid when the calls begin. Default: 300,000. */
  readonly gasLimit?: bigint
  /**
   * `next`: the next block as far as it is known. `other`: another block that could as well be the next, with its number, time,
   * coinbase, randomness, base fee and gas price drawn anew. Default: `next`.
   */
  readonly block?: "next" | "other"
  /** Accounts that the transaction has accessed when the calls begin, beside its sender (EIP-2929). Default: none. */
  readonly warm?: ReadonlyArray<Address.Address>
}
