/** Balances and prices of the fee recipient's tokens on one chain. */
import { Array, type Duration, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Priced } from "../../domain/TreasuryPlan.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as TokenReads from "../../runtime/TokenReads.ts"

/** Balances are read in calls of this size, so many at once. */
const BALANCES = { size: 100, concurrency: 4 }

/**
 * Prices are read of so many tokens at once, one request after the other: sources combine the tokens of concurrent requests, so that one
 * that fails would fail them all.
 */
const PRICES = { size: 64, concurrency: 1 }

/** Unlisted tokens whose decimals are requested concurrently. */
const CONCURRENCY = 32

/** Listed tokens come first, since anyone can pay fees in any number of others. */
const listedFirst = ({ chain }: ChainClient, tokens: ReadonlyArray<Address.Address>) => {
  const isListed = (token: Address.Address) => Option.isSome(Chain.token(chain, token))
  return [...tokens.filter(isListed), ...tokens.filter((token) => !isListed(token))]
}

/** Makes `balances(client, tokens, limit)`, `prices(client, tokens)` and `pricesInTime(client, tokens, limit)`. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const sources = yield* Prices
  const risk = yield* TokenRisk

  /** None if the address is not a token. */
  const decimalsOf = Effect.fnUntraced(function* ({ chain }: ChainClient, token: Address.Address) {
    const listed = Chain.token(chain, token)
    if (Option.isSome(listed)) return Option.some(listed.value.decimals)
    return yield* risk.describe(chain.id, token).pipe(
      Effect.map(({ decimals }) => Option.some(decimals)),
      Effect.catchTag("TokenDeclined", () => Effect.succeed(Option.none<number>()))
    )
  })

  /** The price of each token. None without one. */
  const read = Effect.fnUntraced(function* (client: ChainClient, tokens: ReadonlyArray<Address.Address>) {
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
    const usd = yield* sources.usd(client.chain.id, known)
    const priced = new Map<Address.Address, Option.Option<Priced>>(tokens.map((token) => [token, Option.none()]))
    for (const { address, decimals } of known) {
      const price = usd.get(address)
      if (price !== undefined && price > 0n) priced.set(address, Option.some({ usd: price, decimals }))
    }
    return priced
  })

  return {
    /** Balances of the fee recipient. None for a token that does not tell one. */
    balances: (client: ChainClient, tokens: ReadonlyArray<Address.Address>, limit: Duration.Input) =>
      TokenReads.inParts(listedFirst(client, tokens), { ...BALANCES, limit }, (part) =>
        Effect.map(
          contracts.balancesOf(client, part, client.chain.feeRecipient),
          (balances) => new Map(Array.zip(part, balances))
        )
      ),
    /** Prices of the tokens that have one. */
    prices: (client: ChainClient, tokens: ReadonlyArray<Address.Address>) =>
      Effect.map(
        read(client, tokens),
        (found) =>
          new Map(
            Array.fromIterable(found).flatMap(([token, price]) => Option.toArray(price).map((known) => [token, known]))
          )
      ),
    /** Prices of the tokens that are read in time. */
    pricesInTime: (client: ChainClient, tokens: ReadonlyArray<Address.Address>, limit: Duration.Input) =>
      TokenReads.inParts(listedFirst(client, tokens), { ...PRICES, limit }, (part) => read(client, part))
  }
})
