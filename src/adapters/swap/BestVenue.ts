/**
 * Swaps on the best of several venues. All of a chain are asked at the same time, and the route with the largest output net of gas is
 * returned, with the next ones behind it. A venue that is broken, slow or lies about its contracts fails none of the others.
 */
import { Clock, Effect, Fiber, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import * as RouteChoice from "../../domain/RouteChoice.ts"
import { isNative, NATIVE } from "../../domain/Token.ts"
import { type PricedToken, Prices } from "../../ports/orchestrator/Prices.ts"
import {
  NoRoute,
  type RouteOf,
  type SwapPair,
  type SwapRoute,
  type SwapTerms,
  SwapVenue
} from "../../ports/orchestrator/SwapVenue.ts"
import { type ChainClient, Chains, type FeesPerGas } from "../../ports/shared/Chains.ts"
import * as SideBySide from "../../runtime/SideBySide.ts"
import { within } from "../../runtime/Within.ts"
import * as ListedRouters from "./ListedRouters.ts"
import * as VenueReport from "./VenueReport.ts"
import { isService, type VenueSource } from "./VenueSource.ts"

/**
 * Routes behind the best one, beside the best one of each venue. Each that is tried costs a rehearsal. The quote's time decides how many
 * are.
 */
const MAX_ALTERNATIVES = 5

/** Least time for routes of a later amount, in milliseconds: a quote's time is spent by then on the first ones. */
const LATER_MILLIS = 400

/**
 * Time limit of a rough route, in milliseconds, and the time for which other exchanges are waited for after a first one. Most
 * of their readings are there by then, and the time of the services must not be spent on it.
 */
const ROUGH_LIMITS = { limitMillis: 100, graceMillis: 20 }

/** Time limit of the prices of gas and tokens, in milliseconds. After it the last known worth of gas counts. */
const PRICES_LIMIT_MILLIS = 600

/** Time after which late prices are no longer waited for, in milliseconds. They count for the next quotes. */
const LATE_PRICES_MILLIS = 5_000

/** Decimals of the native currency. */
const NATIVE_DECIMALS = 18

/** The reason why a route must not be offered; undefined without one. */
const objection = (
  { amountOut, gas, minAmountOut, target }: SwapRoute,
  routers: ReadonlySet<Address.Address>
): string | undefined => {
  if (!routers.has(target)) return `it calls ${target}, which is not its router or is not listed by the guard`
  if (minAmountOut <= 0n || minAmountOut > amountOut) return `it promises ${amountOut} and at least ${minAmountOut}`
  return gas < 0n ? "its gas is negative" : undefined
}

/** Prices by which routes are weighed. Undefined if they are unknown. */
interface Worth {
  readonly gas: RouteChoice.GasWorth | undefined
  readonly swap: RouteChoice.SwapWorth | undefined
}

/**
 * Makes `worthOf(client, pair)`: prices to weigh gas against output, and output against input. `lastOf` is what is known without a read: the
 * last worth of gas, since by output alone a route of any gas could win.
 */
const makeWorth = Effect.map(Prices, (prices) => {
  /** By chain and output token. Only listed tokens have prices. */
  const lastGas = new Map<string, RouteChoice.GasWorth>()
  const keyOf = ({ chainId, tokenOut }: SwapPair) => `${chainId} ${tokenOut}`
  const lastOf = (pair: SwapPair): Worth => ({ gas: lastGas.get(keyOf(pair)), swap: undefined })

  const gasWorth = (
    { baseFeePerGas, maxPriorityFeePerGas }: FeesPerGas,
    out: PricedToken,
    usd: ReadonlyMap<Address.Address, UsdPrice>
  ): RouteChoice.GasWorth | undefined => {
    // Native currency is weighed against itself.
    const [nativeUsd, outUsd] = out.address === NATIVE ? [1n, 1n] : [usd.get(NATIVE), usd.get(out.address)]
    if (nativeUsd === undefined || outUsd === undefined) return undefined
    return { gasPrice: baseFeePerGas + maxPriorityFeePerGas, nativeUsd, outUsd, outDecimals: out.decimals }
  }

  const worthOf = Effect.fnUntraced(function* (
    { chain, feesPerGas }: ChainClient,
    pair: SwapPair
  ): Effect.fn.Return<Worth> {
    const priced = (token: Address.Address): Option.Option<PricedToken> =>
      isNative(token) || token === chain.wrappedNative
        ? Option.some({ address: NATIVE, decimals: NATIVE_DECIMALS })
        : Option.map(Chain.token(chain, token), ({ address, decimals }) => ({ address, decimals }))
    const [tokenIn, tokenOut] = [priced(pair.tokenIn), priced(pair.tokenOut)]
    if (Option.isNone(tokenOut)) return UNKNOWN
    const asked = new Map(
      [{ address: NATIVE, decimals: NATIVE_DECIMALS }, tokenOut.value, ...Option.toArray(tokenIn)].map((token) => [
        token.address,
        token
      ])
    )
    const known: Effect.Effect<ReadonlyMap<Address.Address, UsdPrice>> =
      asked.size === 1
        ? Effect.succeed(new Map())
        : Effect.orElseSucceed(prices.usd(chain.id, [...asked.values()]), () => new Map())
    const [fees, usd] = yield* Effect.all([Effect.option(feesPerGas), known], { concurrency: "unbounded" })
    const [inUsd, outUsd] = [
      Option.isNone(tokenIn) ? undefined : usd.get(tokenIn.value.address),
      usd.get(tokenOut.value.address)
    ]
    const gas = Option.isNone(fees) ? undefined : gasWorth(fees.value, tokenOut.value, usd)
    if (gas !== undefined) lastGas.set(keyOf(pair), gas)
    return {
      gas: gas ?? lastGas.get(keyOf(pair)),
      swap:
        Option.isNone(tokenIn) || inUsd === undefined || outUsd === undefined
          ? undefined
          : { inUsd, outUsd, inDecimals: tokenIn.value.decimals, outDecimals: tokenOut.value.decimals }
    }
  })
  return { worthOf, lastOf }
})

/** A source with the routers that it may call. */
interface Open {
  readonly open: ReadonlySet<Address.Address>
  readonly source: VenueSource
}

/** Nothing tells roughly what a swap costs. */
const UNKNOWN_ROUGHLY = new NoRoute({ detail: "no exchange tells roughly what the swap costs" })

const UNKNOWN: Worth = { gas: undefined, swap: undefined }

/** The route to try first, with those to try after it. Prices are asked for only if there is a choice. Undefined without a route. */
const bestOf = Effect.fnUntraced(function* (
  answers: ReadonlyArray<SwapRoute>,
  amountIn: bigint,
  worth: Effect.Effect<Worth>
) {
  const routes = answers.flatMap(({ alternatives = [], ...first }) => [first, ...alternatives])
  const { gas, swap } = routes.length < 2 ? UNKNOWN : yield* worth
  const ranked = RouteChoice.lastingFirst(RouteChoice.ranked(routes, gas), amountIn, swap)
  const [best, ...rest] = RouteChoice.kept(RouteChoice.spread(ranked, gas), 1 + MAX_ALTERNATIVES)
  return best === undefined || rest.length === 0 ? best : { ...best, alternatives: rest }
})

/** A source whose reading has begun. */
interface Begun {
  readonly source: VenueSource
  readonly fiber: Fiber.Fiber<RouteOf>
}

/** Asks these sources at the same time, and chooses among their routes. */
const bestAmong = Effect.fnUntraced(function* (
  terms: SwapTerms,
  open: ReadonlyArray<Begun>,
  worth: Effect.Effect<Worth>,
  limits: Pick<SideBySide.Options<SwapRoute>, "graceMillis" | "limitMillis">
) {
  const outcome: VenueReport.Outcome = yield* SideBySide.askAll(
    open.map(({ fiber, source: { name } }) => ({
      name,
      ask: Effect.flatMap(Fiber.join(fiber), (made) => made(terms))
    })),
    {
      ...limits,
      // A market that pays too little ends nobody's time.
      isGood: ({ amountOut }) => Effect.map(worth, ({ swap }) => !RouteChoice.isPoor(terms.amountIn, amountOut, swap))
    }
  )
  const answers = outcome.answers.map(({ value }) => value)
  return { outcome, best: yield* bestOf(answers, terms.amountIn, worth) }
})

/** The best route of the exchanges among these sources, by a worth that is known. */
const roughly = Effect.fnUntraced(function* (terms: SwapTerms, open: ReadonlyArray<Begun>, worth: Worth) {
  const exchanges = open.filter(({ source }) => !isService(source))
  if (exchanges.length === 0) return yield* UNKNOWN_ROUGHLY
  const { best } = yield* bestAmong(terms, exchanges, Effect.succeed(worth), ROUGH_LIMITS)
  return best ?? (yield* UNKNOWN_ROUGHLY)
})

/** Routes of the only source of a chain. */
const alone = Effect.fnUntraced(function* (pair: SwapPair, only: Open, worth: Effect.Effect<Worth>) {
  const routeOf = yield* checked(pair, only)
  return Effect.fnUntraced(function* (terms: SwapTerms) {
    if (terms.withoutServices === true) return yield* UNKNOWN_ROUGHLY
    const route = yield* routeOf(terms)
    return (yield* bestOf([route], terms.amountIn, worth)) ?? route
  })
})

/** Makes the venue of these sources. The names of the first of equal ones win. */
export const make = Effect.fnUntraced(function* (
  sources: ReadonlyArray<VenueSource>,
  listed: ReturnType<typeof ListedRouters.make> = ListedRouters.make()
) {
  const chains = yield* Chains
  const { lastOf, worthOf } = yield* makeWorth
  const { failureOf, note } = VenueReport.make()

  /** Sources of a chain with the routers that they may call. The chain's `swapRouter` is listed since the guard's deployment. */
  const sourcesOn = Effect.fnUntraced(function* (client: ChainClient) {
    const { chain } = client
    const declared = sources.map((source) => ({ source, routers: source.routersOn(chain) }))
    const others = declared.flatMap(({ routers, source }) =>
      routers.filter((router) => router !== chain.swapRouter).map((router) => ({ venue: source.name, router }))
    )
    const usable = others.length === 0 ? new Set<Address.Address>() : yield* listed.of(client, others)
    return declared.flatMap(({ routers, source }) => {
      const open = new Set(routers.filter((router) => router === chain.swapRouter || usable.has(router)))
      return open.size === 0 ? [] : [{ source, open }]
    })
  })

  const prepare: SwapVenue["Service"]["prepare"] = Effect.fnUntraced(function* (pair) {
    const found = yield* Effect.option(chains.get(pair.chainId))
    if (Option.isNone(found)) return () => Effect.fail(new NoRoute({ detail: `chain ${pair.chainId} is not served` }))
    const client = found.value
    const asked = yield* sourcesOn(client)
    const [only, ...others] = asked
    const known = (found: Option.Option<Worth>) => Option.getOrElse(found, () => lastOf(pair))
    if (only !== undefined && others.length === 0) {
      return yield* alone(pair, only, Effect.map(within(PRICES_LIMIT_MILLIS)(worthOf(client, pair)), known))
    }

    const isOpen = openness(client, pair)
    // Begun here, so that they run beside everything else that a quote reads. Each has its own end.
    const began = yield* Clock.currentTimeMillis
    const weighing = yield* Effect.forkDetach(within(LATE_PRICES_MILLIS)(worthOf(client, pair)))
    const inTime = yield* Effect.forkDetach(within(PRICES_LIMIT_MILLIS)(Fiber.join(weighing)))
    const worth = Effect.map(Fiber.join(inTime), (found) => known(Option.flatten(found)))
    const prepared = yield* Effect.forEach(
      asked.filter(({ source }) => isOpen(source, began)),
      (each) => Effect.map(Effect.forkDetach(checked(pair, each)), (fiber) => ({ source: each.source, fiber }))
    )
    const hasServices = prepared.some(({ source }) => isService(source))
    const routeOf: RouteOf = Effect.fnUntraced(function* (terms) {
      const now = yield* Clock.currentTimeMillis
      const open = prepared.filter(({ source }) => isOpen(source, now))
      // Without a service nothing is spared.
      if (terms.withoutServices === true) return yield* roughly(terms, hasServices ? open : [], lastOf(pair))
      const left = began + SideBySide.LIMIT_MILLIS - now
      const { best, outcome } = yield* bestAmong(terms, open, worth, { limitMillis: Math.max(LATER_MILLIS, left) })
      yield* note(pair, outcome)
      if (best !== undefined) return best
      const poolless = asked.filter(({ source }) => !open.some((each) => each.source === source))
      return yield* failureOf(
        pair,
        outcome,
        poolless.map(({ source }) => source.name)
      )
    })
    return routeOf
  })

  const route: SwapVenue["Service"]["route"] = (request) =>
    Effect.flatMap(prepare(request), (routeOf) => routeOf(request))

  return SwapVenue.of({ route, prepare })
})

/** Tells which sources may have a route. Those that are known to have no pool of the pair are not asked. */
const openness = ({ chain }: ChainClient, { tokenIn, tokenOut }: SwapPair) => {
  const pair = { tokenIn, tokenOut: Chain.erc20(chain, tokenOut) }
  // The forms of the native currency are exchanged without a pool.
  const isSame = pair.tokenIn === pair.tokenOut
  return ({ mayTrade }: VenueSource, nowMillis: number): boolean =>
    isSame || mayTrade === undefined || mayTrade(chain, pair, nowMillis)
}

/** The source's routes, without those that must not be offered. */
const checked = Effect.fnUntraced(function* (pair: SwapPair, { open, source }: Open) {
  const routeOf = yield* source.prepare(pair)
  return Effect.fnUntraced(function* (terms: SwapTerms) {
    const route = yield* routeOf(terms)
    const objected = objection(route, open)
    if (objected === undefined) {
      const others = (route.alternatives ?? []).filter((other) => objection(other, open) === undefined)
      const named = others.map((other) => ({ ...other, provider: source.name }))
      return { ...route, provider: source.name, ...(route.alternatives === undefined ? {} : { alternatives: named }) }
    }
    yield* VenueReport.logged("venue.refused", source.name, pair, objected)
    return yield* new NoRoute({ detail: `${source.name}: ${objected}` })
  })
})
