/** The exchanges that the chains declare, as sources of routes. */
import { Effect, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import * as Venue from "../../domain/Venue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as DeadlinedRouter from "./DeadlinedRouter.ts"
import * as GasWorths from "./GasWorths.ts"
import * as OnChainVenue from "./OnChainVenue.ts"
import * as PairRouters from "./PairRouters.ts"
import * as PoolLookups from "./PoolLookups.ts"
import * as PoolMemory from "./PoolMemory.ts"
import * as UniswapV3 from "./UniswapV3.ts"
import * as UniswapV4 from "./UniswapV4.ts"
import * as V4Pools from "./UniswapV4Pools.ts"
import type { VenueSource } from "./VenueSource.ts"

/** The exchange of a declared venue. None if it lacks what its family needs, which the chains file does not allow. */
const exchangeOf = (
  venue: Venue.Venue,
  { wrappedNative }: Chain,
  { memory, v4, worths }: UniswapV3.Known & { readonly v4: V4Pools.Pools }
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

/** Sources whose lookups of pools come before the quotes of a new pair, or beside them without `lookUp`. */
const makeWith = Effect.fnUntraced(function* (
  lookUp?: PoolLookups.LookUp
): Effect.fn.Return<ReadonlyArray<VenueSource>, never, Chains> {
  const chains = yield* Chains
  const known = { memory: PoolMemory.make(lookUp), v4: V4Pools.make(lookUp), worths: yield* GasWorths.make }
  const first = yield* UniswapV3.makeWith(known)
  const exchanges = new Map<Venue.Venue, Option.Option<OnChainVenue.Exchange>>()

  const venueOn = ({ venues = [] }: Chain, name: string) =>
    Option.fromUndefinedOr(venues.find((venue) => venue.name === name))
  const exchangeOn = (chain: Chain) => (venue: Venue.Venue) => {
    const made = exchanges.get(venue) ?? exchangeOf(venue, chain, known)
    exchanges.set(venue, made)
    return made
  }
  const named = (name: string): VenueSource => ({
    name,
    routersOn: (chain) => Option.toArray(Option.map(venueOn(chain, name), ({ router }) => router)),
    prepare: OnChainVenue.make(chains, name, (chain) => Option.flatMap(venueOn(chain, name), exchangeOn(chain)))
      .prepare,
    poolReads: (chain, pair) =>
      Option.match(Option.flatMap(venueOn(chain, name), exchangeOn(chain)), {
        onNone: () => [],
        onSome: ({ poolReads }) => poolReads(pair)
      })
  })

  const names = new Set(chains.all.flatMap(({ chain: { venues = [] } }) => venues.map(({ name }) => name)))
  return [
    {
      name: UniswapV3.PROVIDER,
      routersOn: ({ quoter, swapRouter }) => (swapRouter === undefined || quoter === undefined ? [] : [swapRouter]),
      prepare: first.prepare,
      poolReads: UniswapV3.poolReadsOn
    },
    ...Array.from(names, named)
  ]
})

/** The exchange of `swapRouter` and `quoter`, and one source for each name of a venue, whatever chains have it. */
export const make = Effect.suspend(() => makeWith(PoolLookups.make()))

/** The same for a chain whose answers take long, such as of an old block: each round trip counts more than the size of its requests. */
export const makeFar = makeWith()
