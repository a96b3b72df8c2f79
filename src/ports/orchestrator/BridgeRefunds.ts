/** Payments by which bridges return deposits that nobody filled. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { RefundLine } from "../../domain/BridgeRefund.ts"
import type { ChainUnavailable } from "../shared/Chains.ts"
import type { ChainId } from "../../domain/ChainId.ts"

export interface PaidRefunds {
  /** Payments to the accounts, oldest first. */
  readonly lines: ReadonlyArray<RefundLine>
  /** Block from which the next look continues the search. */
  readonly nextBlock: bigint
  /**
   * Earlier blocks from which the next look reads the payments to single accounts again, since some could not be read. Absent if there
   * are none.
   */
  readonly heldBack?: ReadonlyMap<Address.Address, bigint>
}

export class BridgeRefunds extends Context.Service<
  BridgeRefunds,
  {
    /** Number of a block of the chain no later than this time (UNIX seconds), and not much earlier. */
    readonly firstBlock: (chainId: ChainId, notBefore: number) => Effect.Effect<bigint, ChainUnavailable>
    /**
     * Payments to these accounts in the chain's confirmed blocks from `fromBlock` on. It reads as many blocks as one look allows.
     */
    readonly paid: (
      chainId: ChainId,
      accounts: ReadonlySet<Address.Address>,
      fromBlock: bigint
    ) => Effect.Effect<PaidRefunds, ChainUnavailable>
  }
>()("sweep/ports/BridgeRefunds") {}
