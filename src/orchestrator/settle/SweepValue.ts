/** Values of sweeps in US dollars, by which their settlements need more confirmations. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import { valueOf } from "../../domain/Usd.ts"
import type { NewIntent } from "../../ports/orchestrator/Intents.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { Chains } from "../../ports/shared/Chains.ts"

/**
 * Makes `worth(chainId, intent)`: the least that a sweep delivers, or what it spends if that has no price. Undefined without any
 * listed and priced token.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const prices = yield* Prices

  const priced = Effect.fnUntraced(function* (chainId: number, address: Address.Address, amount: bigint) {
    const client = Option.getOrUndefined(yield* Effect.option(chains.get(chainId)))
    const token = client === undefined ? undefined : Option.getOrUndefined(Chain.token(client.chain, address))
    if (token === undefined) return undefined
    const known = yield* Effect.option(prices.usd(chainId, [token]))
    const price = Option.getOrUndefined(known)?.get(address)
    return price === undefined ? undefined : valueOf(amount, price, token.decimals)
  })

  return Effect.fnUntraced(function* (chainId: number, { order, quote }: Pick<NewIntent, "order" | "quote">) {
    const destChainId = Number(order.destChainId)
    // An order across chains has no minimum of its own. The deposit has the one of the quote.
    const least = destChainId === chainId ? order.minAmountOut : quote.minAmountOut
    const delivered = yield* priced(destChainId, order.tokenOut, least)
    return delivered ?? (yield* priced(chainId, order.tokenIn, order.amountIn))
  })
})
