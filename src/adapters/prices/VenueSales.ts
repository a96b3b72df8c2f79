/**
 * Sales of fees on the exchanges of the chains file, for tokens whose pools do not count for prices, or pay too little for all such fees
 * together. An exchange counts for an amount if
 *
 * - the guard lists its router, and
 * - it paid at least half as much in a block of the least age, and ten minutes ago. So a pool that was made, or filled, for the occasion
 *   counts for nothing. Nodes without these old states prove nothing.
 *
 * Fees are sold later, and together. So a sale counts for its share of a sale of all that the seller holds of the token and is to be paid
 * beside it, at the lowest of these times. A pool pays for the fees that it covers with its own money alone, however thin it is, and nobody
 * gains by moving a price for a moment. Somebody who fills a pool at all of these times, and then takes it away, is not found out. The fees
 * that count for its sake are worth less than the money in it, and the budget of losses with unlisted tokens bounds what follows.
 */
import { Clock, Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData, erc20Abi, maxUint256, prepareEncodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { minPoolAge } from "../../domain/PriceFacts.ts"
import { RoutingUnavailable, type SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import { type ChainClient, Chains, type ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as ListedRouters from "../swap/ListedRouters.ts"
import { before, KnownPools } from "../swap/KnownPools.ts"
import * as Venues from "../swap/Venues.ts"
import * as PoolAges from "./PoolAges.ts"
import * as VenueOffers from "./VenueOffers.ts"

export interface Sale {
  readonly token: Address.Address
  /** In the smallest unit, above 0. */
  readonly amount: bigint
  readonly seller: Address.Address
  /** True if the seller has the amount already, so that its balance contains it. */
  readonly isHeld: boolean
  /** Amount that others are to pay to the seller, in the smallest unit. */
  readonly beside: Effect.Effect<bigint, StoreUnavailable>
}

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

/** Tokens of which the seller's last holding is remembered. */
const HELD_TOKENS = 10_000

/** UNIX seconds that no block reaches. */
const NEVER = 2n ** 40n

// With its selector, which viem would hash for every call.
const BALANCE_OF = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "balanceOf" })

const decodeBalance = Option.liftThrowable((data: Hex) =>
  decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data })
)

/** Amount of the token that the seller holds beside that of the sale. None if the token does not tell it. Fails if no node answers. */
const heldBeside = (
  { call }: ChainClient,
  { amount, isHeld, seller, token }: Sale
): Effect.Effect<Option.Option<bigint>, ChainUnavailable> =>
  call({
    to: token,
    data: encodeFunctionData({ ...BALANCE_OF, args: [seller] }),
    block: "latest"
  }).pipe(
    Effect.map((data) =>
      Option.map(decodeBalance(data), (held) => {
        const beside = held - (isHeld ? amount : 0n)
        return beside > 0n ? beside : 0n
      })
    ),
    Effect.catchTag("CallReverted", () => Effect.succeedNone)
  )

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

/** The exchange's route of the sale; none without one. */
const routeBy = (
  source: Source,
  client: ChainClient,
  sale: Sale
): Effect.Effect<Option.Option<SwapRoute>, RoutingUnavailable> =>
  source.route(requestOf(client, sale)).pipe(
    Effect.asSome,
    Effect.catchTag("NoRoute", () => Effect.succeedNone)
  )

/** Fails for an exchange that does not answer in time. */
const inTime =
  ({ name: provider }: Source) =>
  <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.timeoutOrElse(effect, {
      duration: LIMIT_MILLIS,
      orElse: () => Effect.fail(new RoutingUnavailable({ provider, detail: `no answer within ${LIMIT_MILLIS} ms` }))
    })

type Source = Venues.ExchangeSource

interface Past {
  readonly sources: ReadonlyArray<Source>
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
const makePast = (pools: KnownPools["Service"]) => {
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
    const sources = yield* Venues.make.pipe(
      Effect.provideService(Chains, { all: [then], get: () => Effect.succeed(then) }),
      Effect.provideService(KnownPools, before(pools))
    )
    const lifetime = Math.min(PAST_LIFETIME_MILLIS, (age * 1_000) / PAST_LIFETIME_PART)
    const past: Past = { sources, client: then, untilMs: now + lifetime }
    known.set(key, past)
    return Option.some(past)
  })
}

const outputOf = (route: Option.Option<SwapRoute>) => Option.map(route, ({ amountOut }) => amountOut)

/**
 * Makes `find(client, sale)`: the call of the sale that counts for most, by an exchange that counts; none without one. Fails if it is none
 * while an exchange did not answer, since that says nothing about the worth of the fee.
 */
export const make = Effect.gen(function* () {
  const sources = yield* Venues.make
  const listed = ListedRouters.make()
  const pastOf = makePast(yield* KnownPools)
  /** Amounts that the seller held last of each token, beside the fee that was valued. */
  const holdings = LatestMap.make<string, bigint>(HELD_TOKENS)

  /**
   * Exchanges of the chain whose router the guard lists, without those that are known not to trade the token. That of `swapRouter` is listed
   * since the guard's deployment.
   */
  const openOn = Effect.fnUntraced(function* (client: ChainClient, token: Address.Address) {
    const { chain } = client
    const { swapRouter, wrappedNative } = chain
    const now = yield* Clock.currentTimeMillis
    const declared = sources
      .filter(({ mayTrade }) => mayTrade(chain, { tokenIn: token, tokenOut: wrappedNative }, now))
      .flatMap((source) => source.routersOn(chain).map((router) => ({ source, router, venue: source.name })))
    const others = declared.filter(({ router }) => router !== swapRouter)
    const usable = others.length === 0 ? new Set<Address.Address>() : yield* listed.of(client, others)
    return declared.filter(({ router }) => router === swapRouter || usable.has(router)).map(({ source }) => source)
  })

  /** Outputs of the whole sale in the earlier blocks, the youngest last. None if it was not there in one of them. */
  const paidBefore = Effect.fnUntraced(function* (client: ChainClient, { name }: Source, whole: Sale) {
    const paid = yield* Effect.forEach(
      agesOn(client),
      Effect.fnUntraced(function* (age) {
        const past = yield* pastOf(client, age)
        const source = Option.getOrUndefined(past)?.sources.find((each) => each.name === name)
        return Option.isNone(past) || source === undefined
          ? Option.none<bigint>()
          : // A node without the old state fails at once, and proves nothing.
            yield* Effect.orElseSucceed(routeBy(source, past.value.client, whole), () => Option.none()).pipe(
              inTime(source),
              Effect.map(outputOf)
            )
      }),
      { concurrency: "unbounded" }
    )
    return Option.all(paid)
  })

  /** The sale by one exchange, if that counts. */
  const offerOf = Effect.fnUntraced(function* (client: ChainClient, source: Source, sale: Sale, beside: bigint) {
    const all = { ...sale, amount: sale.amount + beside }
    // A token may report any amounts, and no exchange sells more than a word of the ABI has.
    if (all.amount > maxUint256) return VenueOffers.NONE
    const now = (asked: Sale) => inTime(source)(routeBy(source, client, asked))
    const [found, whole, before] = yield* Effect.all(
      [
        Effect.result(now(sale)),
        Effect.result(beside === 0n ? Effect.succeedNone : Effect.map(now(all), outputOf)),
        Effect.result(paidBefore(client, source, all))
      ],
      { concurrency: "unbounded" }
    )
    const share = (output: bigint): bigint => (output * sale.amount) / all.amount
    return VenueOffers.offerBy({ found, whole, before }, beside === 0n ? undefined : share)
  })

  return Effect.fn("VenueSales.find")(function* (client: ChainClient, sale: Sale) {
    const open = yield* openOn(client, sale.token)
    if (open.length === 0) return Option.none<VenueOffers.BoundedOffer>()
    const promised = yield* sale.beside
    const offersBeside = (held: bigint) =>
      Effect.forEach(open, (source) => offerOf(client, source, sale, held + promised), { concurrency: "unbounded" })
    const key = `${client.chain.id} ${sale.token}`
    const last = holdings.get(key) ?? 0n
    // The seller's holding is read beside the offers, so that it is a round trip of its own only where it has changed.
    const [held, likely] = yield* Effect.all([heldBeside(client, sale), offersBeside(last)], {
      concurrency: "unbounded"
    })
    // Otherwise one fee would count for all that the pool pays, beside those that wait already.
    if (Option.isNone(held)) return Option.none<VenueOffers.BoundedOffer>()
    holdings.set(key, held.value)
    const offers = held.value === last ? likely : yield* offersBeside(held.value)
    return yield* Effect.fromResult(VenueOffers.bestOf(client, offers))
  })
})
