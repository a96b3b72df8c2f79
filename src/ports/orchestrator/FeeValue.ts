/** Value in native currency of a fee that was taken in a token. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type ChainClient, ChainUnavailable } from "../shared/Chains.ts"
import type { PricesUnavailable } from "./Prices.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** A fee that is not paid yet. */
export interface UnpaidFee {
  /** Account that has the amount now and pays it to the fee recipient in the rehearsal. */
  readonly holder: Address.Address
  /**
   * Amount that others are to pay in the token before it is sold, in the smallest unit. A fee that counts by a sale counts for its share of
   * a sale of all of it. It is not asked for if the fee counts by a price.
   */
  readonly beside: Effect.Effect<bigint, StoreUnavailable>
  /** Wei that the fee is charged for. Exchanges that do not answer need not, if the others pay as much. */
  readonly charged: bigint
}

/** Some exchanges did not answer, so that the fee may be worth more than what the others pay. Retry. */
export class FeeUncertain extends Schema.TaggedError<FeeUncertain>()("FeeUncertain", {
  /** Wei, above 0, that the fee is certainly worth. */
  atLeast: Schema.BigInt,
  silence: ChainUnavailable
}) {
  override get message(): string {
    return `the fee is worth at least ${this.atLeast} wei: ${this.silence.message}`
  }
}

export class FeeValue extends Context.Service<
  FeeValue,
  {
    /**
     * Wei that `amount` of the token is certainly worth on the chain. A listed token counts by its price, and has 0 while that does not
     * count. Any other token, and one that no source of prices knows, counts for what the fee recipient gets when it sells the amount at
     * once, in a rehearsal, less the operator's haircut, and for no more than its share of a sale of all that the recipient holds. It has 0
     * if it cannot be sold there.
     *
     * Fails while exchanges do not answer that may pay more, unless what is known covers what an unpaid fee is charged for.
     *
     * `unpaid`: the amount is to be paid. Default: the fee recipient has it.
     */
    readonly realisable: (
      client: ChainClient,
      token: Address.Address,
      amount: bigint,
      unpaid?: UnpaidFee
    ) => Effect.Effect<bigint, ChainUnavailable | FeeUncertain | PricesUnavailable | StoreUnavailable>
  }
>()("sweep/ports/FeeValue") {}
