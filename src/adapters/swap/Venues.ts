/** The exchanges that the chains declare, as sources of routes. */
import { Effect, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import * as Venue from "../../domain/Venue.ts"
import type { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as DeadlinedRouter from "./DeadlinedRouter.ts"
import * as GasWorths from "./GasWorths.ts"
import { KnownPools } from "./KnownPools.ts"
import * as OnChainVenue from "./OnChainVenue.ts"
import * as PairRouters from "./PairRouters.ts"
import * as UniswapV3 from "./UniswapV3.ts"
import * as UniswapV4 from "./UniswapV4.ts"
import type { VenueSource } from "./VenueSource.ts"

/** The exchange of a declared venue. None if it lacks what its family needs, which the chains file does not allow. */
const exchangeOf = (
  venue: Venue.Venue,
  { wrappedNative }: Chain,
  { memory, v4, worths }: KnownPools["Service"] & { readonly worths: GasWorths.GasWorths }
): Option.Option<OnChainVenue.Exchange> => {
  const { factory, family, name: provider, poolManager, quoter, router } = venue
  const contracts = { provider, router }
  switch (family) {
    case "uniswap-v2":
      return Option.some(PairRouters.exchange(contracts, PairRouters.UNISWAP_V2, memory))
    case "solidly":
      return Option.map(Option.fromUndefinedOr(factory), (known) =>
        PairRouters.exchange(contracts, PairRouters.solidly(known), memory)
      )
    case "uniswap-v3": {
      const kinds = { type: "uint24", values: venue.feeTiers ?? Venue.DEFAULT_FEE_TIERS } as const
      return Option.map(Option.fromUndefinedOr(quoter), (known) => {
        const declared = { ...contracts, quoter: known, kinds }
        return venue.hasDeadlineInSwap === true
          ? DeadlinedRouter.exchange(declared, memory)
          : UniswapV3.exchange(declared, { memory, worths })
      })
    }
    case "slipstream": {
      const kinds = { type: "int24", values: venue.tickSpacings ?? Venue.DEFAULT_TICK_SPACINGS } as const
      return Option.map(Option.fromUndefinedOr(quoter), (known) =>
        DeadlinedRouter.exchange({ ...contracts, quoter: known, kinds }, memory)
      )
    }
    case "uniswap-v4":
      return Option.map(
        Option.all([Option.fromUndefinedOr(poolManager), Option.fromUndefinedOr(quoter)]),
        ([manager, known]) => {
          const exchange = { ...contracts, poolManager: manager, quoter: known, pools: venue.pools ?? [] }
          return UniswapV4.exchange(exchange, v4, wrappedNative)
        }
      )
  }
}

/** An exchange among the sources of routes. */
export interface ExchangeSource extends VenueSource, Pick<SwapVenue["Service"], "route"> {
  readonly mayTrade: NonNullable<VenueSource["mayTrade"]>
  readonly poolReads: NonNullable<VenueSource["poolReads"]>
}

/** The exchange of `swapRouter` and `quoter`, and one source for each name of a venue, whatever chains have it. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const known = { ...(yield* KnownPools), worths: yield* GasWorths.make }
  const exchanges = new Map<Venue.Venue, Option.Option<OnChainVenue.Exchange>>()
  const exchangeOn = (chain: Chain) => (venue: Venue.Venue) => {
    const made = exchanges.get(venue) ?? exchangeOf(venue, chain, known)
    exchanges.set(venue, made)
    return made
  }
  const named = (name: string) => (chain: Chain) => {
    const venue = Option.fromUndefinedOr(chain.venues?.find((each) => each.name === name))
    return Option.flatMap(venue, exchangeOn(chain))
  }

  const sourceOf = (name: string, on: (chain: Chain) => Option.Option<OnChainVenue.Exchange>): ExchangeSource => ({
    name,
    ...OnChainVenue.make(chains, name, on),
    routersOn: (chain) => Option.toArray(Option.map(on(chain), ({ router }) => router)),
    mayTrade: (chain, pair, nowMillis) => Option.exists(on(chain), ({ mayTrade }) => mayTrade(chain, pair, nowMillis)),
    poolReads: (chain, pair) =>
      Option.match(on(chain), { onNone: () => [], onSome: ({ poolReads }) => poolReads(pair) })
  })

  const names = new Set(chains.all.flatMap(({ chain: { venues = [] } }) => venues.map(({ name }) => name)))
  return [
    sourceOf(UniswapV3.PROVIDER, UniswapV3.firstOn(known)),
    ...Array.from(names, (name) => sourceOf(name, named(name)))
  ]
})
