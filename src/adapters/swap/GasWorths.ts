/** Prices that express gas in the token that a swap pays. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { GasWorth } from "../../domain/RouteChoice.ts"
import { NATIVE } from "../../domain/Token.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"

/** Time limit, in milliseconds. */
const LIMIT_MILLIS = 600

/** Decimals of the native currency. */
const NATIVE_DECIMALS = 18

/** Price of gas in an ERC-20 token; none if it is not known in time. */
export type GasWorths = (client: ChainClient, token: Address.Address) => Effect.Effect<Option.Option<GasWorth>>

/** By the service's prices. None is known where the service has none. */
export const make: Effect.Effect<GasWorths> = Effect.map(Effect.serviceOption(Prices), (found): GasWorths => {
  if (Option.isNone(found)) return () => Effect.succeedNone
  const { usd } = found.value
  return ({ chain, feesPerGas }, token) => {
    // Native currency is weighed against itself.
    const isNative = token === chain.wrappedNative
    const listed = Option.getOrUndefined(Chain.token(chain, isNative ? NATIVE : token))
    if (listed === undefined) return Effect.succeedNone
    const { address, decimals } = listed
    const priced = isNative
      ? Effect.succeed(new Map([[NATIVE, 1n]]))
      : usd(chain.id, [
          { address: NATIVE, decimals: NATIVE_DECIMALS },
          { address, decimals }
        ])
    return Effect.all([feesPerGas, priced], { concurrency: "unbounded" }).pipe(
      Effect.map(([{ baseFeePerGas, maxPriorityFeePerGas }, prices]) =>
        Option.map(
          Option.all([Option.fromUndefinedOr(prices.get(NATIVE)), Option.fromUndefinedOr(prices.get(address))]),
          ([nativeUsd, outUsd]): GasWorth => {
            return { gasPrice: baseFeePerGas + maxPriorityFeePerGas, nativeUsd, outUsd, outDecimals: decimals }
          }
        )
      ),
      Effect.orElseSucceed(() => Option.none<GasWorth>()),
      within(LIMIT_MILLIS),
      Effect.map(Option.flatten)
    )
  }
})
