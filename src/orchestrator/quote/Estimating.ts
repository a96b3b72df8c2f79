/** Estimates the time of a sweep by its value, as the watcher waits for it. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import { secondsUntilDelivery } from "../../domain/EstimatedTime.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { PricedUnits } from "../../domain/QuoteDetails.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { valueOf } from "../../domain/Usd.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"

export interface Estimated {
  readonly source: ChainClient["chain"]
  readonly order: Pick<SweepOrder, "amountIn" | "destChainId" | "tokenIn" | "tokenOut">
  /** Least amount that arrives. */
  readonly least: bigint
  readonly tokenIn: PricedUnits
  /** Undefined if its price is not known. */
  readonly tokenOut: PricedUnits | undefined
  /** Expected seconds between a deposit and its fill. 0 on one chain. */
  readonly bridgeSeconds: number
}

/** Value of an amount of a listed token. Undefined for any other one, as for the watcher. */
const listedValue = (
  chain: ChainClient["chain"],
  token: Address.Address,
  amount: bigint,
  priced: PricedUnits | undefined
): UsdPrice | undefined =>
  priced === undefined || Option.isNone(Chain.token(chain, token))
    ? undefined
    : valueOf(amount, priced.usd, priced.decimals)

/** Makes `secondsOf(estimated)`. */
export const make = Effect.map(
  Chains,
  (chains) =>
    ({ bridgeSeconds, least, order, source, tokenIn, tokenOut }: Estimated): Effect.Effect<number> =>
      Effect.map(Effect.option(chains.get(Number(order.destChainId))), (found) => {
        const destination = Option.getOrUndefined(found)?.chain ?? source
        const value =
          listedValue(destination, order.tokenOut, least, tokenOut) ??
          listedValue(source, order.tokenIn, order.amountIn, tokenIn)
        const crossing = destination.id === source.id ? undefined : { destination, bridgeSeconds }
        return secondsUntilDelivery(source, value, crossing)
      })
)
