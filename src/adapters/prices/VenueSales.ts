/**
 * Sales of tokens on the exchanges of the chains file, for fees in tokens that Uniswap v3 does not trade. An exchange counts for an amount if
 *
 * - the guard lists its router,
 * - it pays for the least depth at nearly the same price, so that a thin pool counts for nothing, and
 * - it paid at least half as much in a block of the least age, so that a pool that was made for the occasion counts for nothing, and
 *   nobody gains by moving a price for a moment. Nodes without that old state prove nothing.
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

/** Time limit of each exchange, in milliseconds. */
const LIMIT_MILLIS = 1_000

/** Lifetime of a block that is old enough, in milliseconds. It only becomes older. */
const PAST_LIFETIME_MILLIS = 3_600_000

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

/** Makes `pastOf(client)`: sources that read the chain as it was when its pools had to exist; none if that block is not found. */
const makePast = () => {
  const known = new Map<
    number,
    { readonly sources: ReadonlyArray<VenueSource>; readonly client: ChainClient; readonly untilMs: number }
  >()

  return Effect.fnUntraced(function* (client: ChainClient, now: number) {
    const { chain } = client
    const kept = known.get(chain.id)
    if (kept !== undefined && now < kept.untilMs) return Option.some(kept)
    const latest = yield* client.block("latest")
    if (Option.isNone(latest)) return Option.none()
    const block = yield* PoolAges.blockBefore(client, Number(latest.value.timestamp) - minPoolAge(chain))
    if (Option.isNone(block)) return Option.none()
    const then = pinned(client, block.value.number)
    const sources = yield* Effect.provideService(Venues.make, Chains, { all: [then], get: () => Effect.succeed(then) })
    const past = { sources, client: then, untilMs: now + PAST_LIFETIME_MILLIS }
    known.set(chain.id, past)
    return Option.some(past)
  })
}

/** Makes `find(client, sale)`: the route with the largest output among the exchanges that count; none without one. */
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

  /** True if the exchange paid at least half of the output when its pools had to exist. */
  const isOld = Effect.fnUntraced(function* (client: ChainClient, source: VenueSource, sale: Sale, output: bigint) {
    if (minPoolAge(client.chain) === 0) return true
    const past = yield* pastOf(client, yield* Clock.currentTimeMillis)
    const then = Option.map(past, (found) => ({
      ...found,
      source: found.sources.find(({ name }) => name === source.name)
    }))
    if (Option.isNone(then) || then.value.source === undefined) return false
    const paid = yield* routeBy(then.value.source, then.value.client, sale)
    return Option.exists(paid, ({ amountOut }) => amountOut * PAST_PART >= output)
  })

  /** True if the exchange pays for the depth at nearly the same price. */
  const isDeep = Effect.fnUntraced(function* (
    client: ChainClient,
    source: VenueSource,
    sale: Sale,
    output: bigint,
    depth: bigint
  ) {
    if (output >= depth) return true
    const amount = (sale.amount * depth) / output
    const paid = yield* routeBy(source, client, { ...sale, amount })
    return Option.exists(
      paid,
      ({ amountOut }) => amountOut * sale.amount * 100n >= output * amount * (100n - DEPTH_LOSS)
    )
  })

  return Effect.fn("VenueSales.find")(function* (client: ChainClient, sale: Sale) {
    const depth = yield* leastDepth(client)
    if (Option.isNone(depth)) return Option.none<SwapRoute>()
    const routes = yield* Effect.forEach(
      yield* openOn(client),
      Effect.fnUntraced(function* (source) {
        const route = yield* routeBy(source, client, sale)
        if (Option.isNone(route) || route.value.amountOut <= 0n) return []
        const { amountOut } = route.value
        const [deep, old] = yield* Effect.all(
          [isDeep(client, source, sale, amountOut, depth.value), isOld(client, source, sale, amountOut)],
          { concurrency: "unbounded" }
        )
        return deep && old ? [route.value] : []
      }),
      { concurrency: "unbounded" }
    )
    return routes
      .flat()
      .reduce<Option.Option<SwapRoute>>(
        (best, route) =>
          Option.exists(best, ({ amountOut }) => amountOut >= route.amountOut) ? best : Option.some(route),
        Option.none()
      )
  })
})
