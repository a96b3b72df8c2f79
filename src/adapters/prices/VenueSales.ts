/**
 * Sales of fees on the exchanges of the chains file, for tokens whose pools do not count for prices, or pay too little for all such fees
 * together. An exchange counts for an amount if
 *
 * - the guard lists its router, and
 * - it paid at least half as much in a block of the least age, and ten minutes ago. So a pool that was made, or filled, for the occasion
 *   counts for nothing. Nodes without these old states prove nothing.
 *
 * While the guard's list cannot be read, the exchanges that it may list count as ones that do not answer.
 *
 * Fees are sold later, and together. So a sale counts for its share of a sale of all that the seller holds of the token and is to be paid
 * beside it, at the lowest of these times. A pool pays for the fees that it covers with its own money alone, however thin it is, and nobody
 * gains by moving a price for a moment. Somebody who fills a pool at all of these times, and then takes it away, is not found out. The fees
 * that count for its sake are worth less than the money in it, and the budget of losses with unlisted tokens bounds what follows.
 */
import { Clock, Effect, Option, Result } from "effect"
import { decodeFunctionResult, encodeFunctionData, erc20Abi, maxUint256, prepareEncodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { RoutingUnavailable, type SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as ListedRouters from "../swap/ListedRouters.ts"
import { PASSING_MILLIS } from "../swap/VenueReport.ts"
import * as Venues from "../swap/Venues.ts"
import * as PastVenues from "./PastVenues.ts"
import * as Silences from "./Silences.ts"
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

/** Time limit of each exchange, in milliseconds. */
const LIMIT_MILLIS = 1_000

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

/** The exchange's route of the sale; none without one. A token whose quotes fail the whole call, as by using up its gas, has none. */
const routeBy = (
  source: Source,
  client: ChainClient,
  sale: Sale
): Effect.Effect<Option.Option<SwapRoute>, RoutingUnavailable> =>
  source.route(requestOf(client, sale)).pipe(
    Effect.asSome,
    Effect.catchTags({
      NoRoute: () => Effect.succeedNone,
      RoutingUnavailable: (silence) => (silence.isCallRefused === true ? Effect.succeedNone : Effect.fail(silence))
    })
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

const outputOf = (route: Option.Option<SwapRoute>) => Option.map(route, ({ amountOut }) => amountOut)

/** The route of the sale in an earlier block. A node that never had the old state fails at once, and proves nothing. */
const routeThen = (past: PastVenues.Past, source: Source, sale: Sale) =>
  routeBy(source, past.client, sale).pipe(
    Effect.tap(() => Effect.sync(() => past.noteAnswer(source.name))),
    Effect.catchTag("RoutingUnavailable", (silence) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        past.isExpected(source.name, now) ? Effect.fail(silence) : Effect.succeedNone
      )
    ),
    inTime(source)
  )

/**
 * Makes `isHopeless(client, token, offers)`: true if some exchange has not answered for the token for too long, although exchanges of the chain
 * answer.
 */
const makeHopeless = () => {
  const silences = Silences.make()
  /** UNIX milliseconds at which an exchange of the chain answered last. */
  const lastAnswers = new Map<number, number>()

  return Effect.fnUntraced(function* (
    { chain }: ChainClient,
    token: Address.Address,
    offers: ReadonlyArray<VenueOffers.Heard>
  ) {
    const now = yield* Clock.currentTimeMillis
    const key = `${chain.id} ${token}`
    if (offers.some(({ isAnswered }) => isAnswered)) lastAnswers.set(chain.id, now)
    if (!offers.some(({ offered }) => Result.isFailure(offered))) {
      silences.end(key)
      return false
    }
    const answeredAt = lastAnswers.get(chain.id)
    return !silences.isPassing(key, now) && answeredAt !== undefined && now - answeredAt < PASSING_MILLIS
  })
}

/**
 * Makes `find(client, sale)`: the call of the sale that counts for most, by an exchange that counts; none without one. Fails if it is none
 * while an exchange did not answer, since that says nothing about the worth of the fee. A silence about a token
 * that lasts, while exchanges of the chain answer otherwise, is an answer: the exchange does not count.
 */
export const make = Effect.gen(function* () {
  const sources = yield* Venues.make
  const listingOf = ListedRouters.makeListing()
  const pastOf = yield* PastVenues.make
  const isHopeless = makeHopeless()
  /** Amounts that the seller held last of each token, beside the fee that was valued. */
  const holdings = LatestMap.make<string, bigint>(HELD_TOKENS)

  /**
   * Exchanges of the chain whose router the guard lists, and names of those of which that is not known. Exchanges that are known not to trade
   * the token are left out. That of `swapRouter` is listed since the guard's deployment.
   */
  const openOn = Effect.fnUntraced(function* (client: ChainClient, token: Address.Address) {
    const { chain } = client
    const { swapRouter, wrappedNative } = chain
    const now = yield* Clock.currentTimeMillis
    const declared = sources
      .filter(({ mayTrade }) => mayTrade(chain, { tokenIn: token, tokenOut: wrappedNative }, now))
      .flatMap((source) => source.routersOn(chain).map((router) => ({ source, router, venue: source.name })))
    const others = declared.filter(({ router }) => router !== swapRouter)
    const listing = others.length === 0 ? undefined : yield* listingOf(client, others)
    const isOpen = (router: Address.Address) => router === swapRouter || listing?.usable.has(router) === true
    const isUnknown = (router: Address.Address) => router !== swapRouter && listing?.unknown.has(router) === true
    return {
      open: declared.filter(({ router }) => isOpen(router)).map(({ source }) => source),
      unknown: declared.filter(({ router }) => isUnknown(router)).map(({ venue }) => venue)
    }
  })

  /** Output of the whole sale this many seconds ago; none if it was not there. */
  const paidAt = Effect.fnUntraced(function* (client: ChainClient, { name }: Source, whole: Sale, age: number) {
    const past = yield* pastOf(client, age)
    const source = Option.getOrUndefined(past)?.sources.find((each) => each.name === name)
    return Option.isNone(past) || source === undefined
      ? Option.none<bigint>()
      : outputOf(yield* routeThen(past.value, source, whole))
  })

  /** Outputs of the whole sale in the earlier blocks, the youngest last. None if it was not there in one of them. */
  const paidBefore = (client: ChainClient, source: Source, whole: Sale) =>
    Effect.forEach(PastVenues.agesOn(client), (age) => Effect.result(paidAt(client, source, whole, age)), {
      concurrency: "unbounded"
    }).pipe(Effect.map(VenueOffers.earlierOf))

  /** The sale by one exchange, if that counts. */
  const offerOf = Effect.fnUntraced(function* (client: ChainClient, source: Source, sale: Sale, beside: bigint) {
    const all = { ...sale, amount: sale.amount + beside }
    // A token may report any amounts, and no exchange sells more than a word of the ABI has.
    if (all.amount > maxUint256) return VenueOffers.UNASKED
    const now = (asked: Sale) => inTime(source)(routeBy(source, client, asked))
    const [found, whole, before] = yield* Effect.all(
      [
        Effect.result(now(sale)),
        Effect.result(beside === 0n ? Effect.succeedNone : Effect.map(now(all), outputOf)),
        paidBefore(client, source, all)
      ],
      { concurrency: "unbounded" }
    )
    const share = (output: bigint): bigint => (output * sale.amount) / all.amount
    return {
      offered: VenueOffers.offerBy({ found, whole, before }, beside === 0n ? undefined : share),
      isAnswered: Result.isSuccess(found)
    }
  })

  return Effect.fn("VenueSales.find")(function* (client: ChainClient, sale: Sale) {
    const { open, unknown } = yield* openOn(client, sale.token)
    if (open.length === 0 && unknown.length === 0) return Option.none<VenueOffers.BoundedOffer>()
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
    const asked = held.value === last ? likely : yield* offersBeside(held.value)
    const heard = unknown.length === 0 ? asked : [...asked, VenueOffers.unread(unknown)]
    const offers = heard.map(({ offered }) => offered)
    const counted = (yield* isHopeless(client, sale.token, heard)) ? offers.filter(Result.isSuccess) : offers
    return yield* Effect.fromResult(VenueOffers.bestOf(client, counted))
  })
})
