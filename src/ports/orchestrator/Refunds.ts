/** Durable record of the refunds that bridges owe to owners, of those that were found, and of what arrived instead of a promised token. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ArrivedInstead, Assignment, ExpectedRefund, Waiting } from "../../domain/BridgeRefund.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface NewRefund extends ExpectedRefund {
  /** Id of the intent. */
  readonly id: string
  /** Source chain of the intent. */
  readonly chainId: ChainId
  /** Owner of the intent. */
  readonly account: Address.Address
}

/** A refund that is not found yet. */
export interface WaitingRefund extends Omit<Waiting, "fromBlock"> {
  /** Block from which the search continues. Absent before the first look. */
  readonly searchFrom?: bigint
  /** Number of looks that did not find it. */
  readonly looks: number
}

export class Refunds extends Context.Service<
  Refunds,
  {
    /** Records that a refund is owed. Its first look is due at once. A second record of the same intent changes nothing. */
    readonly expect: (refund: NewRefund) => Effect.Effect<void, StoreUnavailable>
    /**
     * Refunds of a chain that are not found yet, of up to `limit` accounts that have one whose look is due: all of these accounts,
     * since one payment may return several deposits. Deposits that could be filled before `sinceMs` (UNIX milliseconds) are left out.
     */
    readonly due: (
      chainId: ChainId,
      limit: number,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<WaitingRefund>, StoreUnavailable>
    /**
     * Records that a payment returned these deposits. False if it is recorded for others already, or if one of them was returned by
     * another: then nothing changes. So no payment ever proves more than it paid.
     */
    readonly note: (chainId: ChainId, assignment: Assignment) => Effect.Effect<boolean, StoreUnavailable>
    /** Records that another token arrived, since the swap on arrival failed. A second record of the same intent changes nothing. */
    readonly noteInstead: (id: string, arrived: ArrivedInstead) => Effect.Effect<void, StoreUnavailable>
    /** Records one more look without a payment. Ignores refunds that are found. Times are UNIX milliseconds. */
    readonly postpone: (
      looked: ReadonlyArray<{ readonly id: string; readonly searchFrom: bigint; readonly lookAtMs: number }>
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/Refunds") {}
