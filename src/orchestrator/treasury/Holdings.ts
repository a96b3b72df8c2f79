/** Balances and prices of the fee recipient's tokens on one chain. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Priced } from "../../domain/TreasuryPlan.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

/** Balances that are requested concurrently. */
const CONCURRENCY = 8

/** Makes `balances(client, tokens)` and `prices(client, tokens)`. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const prices = yield* Prices
  const risk = yield* TokenRisk

  const decimalsOf = Effect.fnUntraced(function* ({ chain }: ChainClient, token: Address.Address) {
    const listed = Chain.token(chain, token)
    if (Option.isSome(listed)) return Option.some(listed.value.decimals)
    return yield* risk.describe(chain.id, token).pipe(
      Effect.map(({ decimals }) => Option.some(decimals)),
      Effect.catchTag("TokenDeclined", () => Effect.succeed(Option.none<number>()))
    )
  })

  return {
    /** Balances of the fee recipient, in the order of the tokens. */
    balances: (client: ChainClient, tokens: ReadonlyArray<Address.Address>) =>
      Effect.forEach(tokens, (token) => contracts.balanceOf(client, token, client.chain.feeRecipient), {
        concurrency: CONCURRENCY
      }),
    /** Prices of the tokens that have one. */
    prices: Effect.fnUntraced(function* (client: ChainClient, tokens: ReadonlyArray<Address.Address>) {
      const described = yield* Effect.forEach(
        tokens,
        (address) =>
          Effect.map(
            decimalsOf(client, address),
            Option.map((decimals) => ({ address, decimals }))
          ),
        { concurrency: CONCURRENCY }
      )
      const known = described.flatMap(Option.toArray)
      const usd = yield* prices.usd(client.chain.id, known)
      return new Map(
        known.flatMap(({ address, decimals }): ReadonlyArray<readonly [Address.Address, Priced]> => {
          const price = usd.get(address)
          return price === undefined || price <= 0n ? [] : [[address, { usd: price, decimals }]]
        })
      )
    })
  }
})
