/** Prices by which fees and gas are counted in the operator's books. They never hold up a settlement. */
import { Duration, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { PricedUnits } from "../../domain/QuoteDetails.ts"
import { NATIVE } from "../../domain/Token.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

/** Time limit of the prices. Without an answer, fees count at the prices of their quotes, and gas has no price. */
const LIMIT = Duration.millis(250)

/** Makes `of(client, tokens)`, prices of listed tokens, and `native(client)`, that of the chain's currency. */
export const make = Effect.gen(function* () {
  const prices = yield* Prices

  const of = Effect.fnUntraced(function* ({ chain }: ChainClient, addresses: Iterable<Address.Address>) {
    const tokens = Array.from(new Set(addresses)).flatMap((address) => Option.toArray(Chain.token(chain, address)))
    if (tokens.length === 0) return new Map<Address.Address, PricedUnits>()
    const known = yield* prices.usd(chain.id, tokens).pipe(
      Effect.timeout(LIMIT),
      Effect.orElseSucceed(() => new Map<Address.Address, bigint>())
    )
    return new Map(
      tokens.flatMap(({ address, decimals }): ReadonlyArray<readonly [Address.Address, PricedUnits]> => {
        const usd = known.get(address)
        return usd === undefined ? [] : [[address, { usd, decimals }]]
      })
    )
  })

  const native = (client: ChainClient) => Effect.map(of(client, [NATIVE]), (found) => found.get(NATIVE)?.usd)

  return { native, of }
})
