/**
 * Sales of tokens on the exchanges of the chains file, for fees in tokens that Uniswap v3 does not trade. An exchange counts for an amount if
 *
 * - the guard lists its router,
 * - it pays for the least depth at nearly the same price, so that a thin pool counts for nothing, and
 * - it did so in a block of the least age too, and ten minutes ago, and paid at least half as much then. So a pool that was made, or filled,
 *   for the occasion counts for nothing. Nodes without these old states prove nothing.
 *
 * A sale counts for at most what it paid ten minutes ago, so that nobody gains by moving a price for a moment. Somebody who fills a pool at
 * all of these times is not found out. The budget of losses with unlisted tokens bounds what that costs.
 */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { minPoolAge } from "../../domain/PriceFacts.ts"
import { NATIVE } from "../../domain/Token.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import type { SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as ListedRouters from "../swap/ListedRouters.ts"
import type { VenueSource } from "../swap/VenueSource.ts"
import * as Venues from "../swap/Venues.ts"
import * as PoolAges from "./PoolAges.ts"
import type { Offer } from "./SaleRehearsal.ts"

export interface Sale {
  readonly token: Address.Address
  /** In the smallest unit, above 0. */
  readonly amount: bigint
  readonly seller: Address.Address
}

/** Loss of price at the least depth up to which an exchange counts, in percent. */
const DEPTH_LOSS = 3n

/** Part of the present output that the exchange must have paid before. */
const PAST_PART = 2n

/** Age of the younger of the two earlier blocks, in seconds. */
const RECENT_SECONDS = 600

/** Time limit of each exchange, in milliseconds. */
const LIMIT_MILLIS = 1_000

/** Longest lifetime of an earlier block, in milliseconds. It only becomes older. */
const PAST_LIFETIME_MILLIS = 3_600_000

/** Part of its age by which an earlier block may become older. */
const PAST_LIFETIME_PART = 10

/** Any output counts here. The rehearsal measures it. */
const ANY_OUTPUT_BPS = 10_000

/** UNIX seconds that no block reaches. */
const NEVER = 2n ** 40n

const WEI = 10n ** 18n
const USD = 10n ** 18n

/** The chain as it was at the end of a block. */
const pinned = (client: ChainClient, block: bigint): ChainClient => ({
  ...client,
  call: (request) => client.call({ ...request, block })
})

const requestOf = ({ chain }: ChainClient, { amount, seller, token }: Sale) => ({
  chainId: chain.id,
  tokenIn: token,
  tokenOut: chain.wrappedNative,
  amountIn: amount,
  sender: seller,
  recipient: seller,
  slippageBps: ANY_OUTPUT_BPS,
  deadline: NEVER
})

/** The exchange's route of the sale; none without one in time. */
const routeBy = (source: VenueSource, client: ChainClient, sale: Sale): Effect.Effect<Option.Option<SwapRoute>> => {
  const request = requestOf(client, sale)
  return Effect.flatMap(source.prepare(request), (routeOf) => routeOf(request)).pipe(
    Effect.timeoutOption(LIMIT_MILLIS),
    Effect.orElseSucceed(() => Option.none())
  )
}

interface Past {
  readonly sources: ReadonlyArray<VenueSource>
  readonly client: ChainClient
  /** UNIX milliseconds. */
  readonly untilMs: number
}

/** Ages in seconds of the blocks in which an exchange must have paid as well, the least one last. Empty where new pools count. */
const agesOn = ({ chain }: ChainClient): ReadonlyArray<number> => {
  const oldest = minPoolAge(chain)
  return oldest === 0 ? [] : [...new Set([oldest, Math.min(oldest, RECENT_SECONDS)])]
}

/** Makes `pastOf(client, age)`: sources that read the chain as it was this many seconds ago; none if that block is not found. */
const makePast = () => {
  const known = new Map<string, Past>()

  return Effect.fnUntraced(function* (client: ChainClient, age: number) {
    const now = yield* Clock.currentTimeMillis
    const key = `${client.chain.id} ${age}`
    const kept = known.get(key)
    if (kept !== undefined && now < kept.untilMs) return Option.some(kept)
    const latest = yield* client.block("latest")
    if (Option.isNone(latest)) return Option.none()
    const block = yield* PoolAges.blockBefore(client, Number(latest.value.timestamp) - age)
    if (Option.isNone(block)) return Option.none()
    const then = pinned(client, block.value.number)
    const sources = yield* Effect.provideService(Venues.make, Chains, { all: [then], get: () => Effect.succeed(then) })
    const lifetime = Math.min(PAST_LIFETIME_MILLIS, (age * 1_000) / PAST_LIFETIME_PART)
    const past: Past = { sources, client: then, untilMs: now + lifetime }
    known.set(key, past)
    return Option.some(past)
  })
}

/** The output of `paid` if the exchange pays for the larger sale at nearly the same price; none if not. */
const paidDeeply = Effect.fnUntraced(function* (
  source: VenueSource,
  client: ChainClient,
  paid: Effect.Effect<Option.Option<SwapRoute>>,
  { larger, sale }: { readonly sale: Sale; readonly larger: Sale }
) {
  const [route, more] = yield* Effect.all([paid, larger === sale ? paid : routeBy(source, client, larger)], {
    concurrency: "unbounded"
  })
  return Option.gen(function* () {
    const { amountOut } = yield* route
    const isDeep = (yield* more).amountOut * sale.amount * 100n >= amountOut * larger.amount * (100n - DEPTH_LOSS)
    return yield* isDeep ? Option.some(amountOut) : Option.none()
  })
})

/** Makes `find(client, sale)`: the call of the sale that counts for most, by an exchange that counts; none without one. */
export const make = Effect.fnUntraced(function* (minDepthUsd: bigint) {
  const prices = yield* Prices
  const sources = yield* Venues.make
  const listed = ListedRouters.make()
  const pastOf = makePast()

  /** Exchanges of the chain's `venues` whose router the guard lists. */
  const openOn = Effect.fnUntraced(function* (client: ChainClient) {
    const declared = sources.flatMap((source) =>
      source
        .routersOn(client.chain)
        .flatMap((router) => (router === client.chain.swapRouter ? [] : [{ source, router, venue: source.name }]))
    )
    const usable = declared.length === 0 ? new Set<Address.Address>() : yield* listed.of(client, declared)
    return declared.filter(({ router }) => usable.has(router)).map(({ source }) => source)
  })

  /** Wei of the least depth. None without a price of the native currency. */
  const leastDepth = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const usd = (yield* prices.usd(chain.id, [{ address: NATIVE, decimals: 18 }])).get(NATIVE) ?? 0n
    return usd > 0n ? Option.some((minDepthUsd * USD * WEI) / usd) : Option.none()
  })

  /** Outputs of the exchange in the earlier blocks, the youngest last. None if it was not there or not deep in one of them. */
  const paidBefore = Effect.fnUntraced(function* (
    client: ChainClient,
    { name }: VenueSource,
    sale: Sale,
    larger: Sale
  ) {
    const paid = yield* Effect.forEach(
      agesOn(client),
      Effect.fnUntraced(function* (age) {
        const past = yield* pastOf(client, age)
        const source = Option.getOrUndefined(past)?.sources.find((each) => each.name === name)
        return Option.isNone(past) || source === undefined
          ? Option.none<bigint>()
          : yield* paidDeeply(source, past.value.client, routeBy(source, past.value.client, sale), { sale, larger })
      }),
      { concurrency: "unbounded" }
    )
    return Option.all(paid)
  })

  /** The sale by one exchange, if that counts. */
  const offerOf = Effect.fnUntraced(function* (client: ChainClient, source: VenueSource, sale: Sale, depth: bigint) {
    const route = yield* routeBy(source, client, sale)
    if (Option.isNone(route) || route.value.amountOut <= 0n) return []
    const { amountOut, calldata, target: router } = route.value
    const larger = amountOut >= depth ? sale : { ...sale, amount: (sale.amount * depth) / amountOut }
    const [now, before] = yield* Effect.all(
      [paidDeeply(source, client, Effect.succeed(route), { sale, larger }), paidBefore(client, source, sale, larger)],
      { concurrency: "unbounded" }
    )
    if (Option.isNone(now) || Option.isNone(before)) return []
    if (before.value.some((paid) => paid * PAST_PART < amountOut)) return []
    const recent = before.value.at(-1)
    return [{ router, calldata, atMost: recent === undefined || recent > amountOut ? amountOut : recent }]
  })

  return Effect.fn("VenueSales.find")(function* (client: ChainClient, sale: Sale) {
    const depth = yield* leastDepth(client)
    if (Option.isNone(depth)) return Option.none<Required<Offer>>()
    const offers = yield* Effect.forEach(
      yield* openOn(client),
      (source) => offerOf(client, source, sale, depth.value),
      { concurrency: "unbounded" }
    )
    return offers
      .flat()
      .reduce<Option.Option<Required<Offer>>>(
        (best, offer) => (Option.exists(best, ({ atMost }) => atMost >= offer.atMost) ? best : Option.some(offer)),
        Option.none()
      )
  })
})
