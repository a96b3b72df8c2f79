/** A venue whose market is read from a chain: one reading of a pair, from which routes of many amounts are made. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import {
  NoRoute,
  type RouteOf,
  RoutingUnavailable,
  type SwapPair,
  type SwapRequest,
  type SwapRoute,
  type SwapVenue
} from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient, Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import { amountsUpTo, best, type Market, outrun, type Pair, type PoolRead, type Quoted } from "./Curves.ts"

/** A market that was read. */
export interface Reading {
  /** True if the pair has no pool on any path, so that no amount has a route. */
  readonly isEmpty: boolean
  /** Makes the route of the best path. None if no path pays. */
  readonly routeOf: (request: SwapRequest) => Option.Option<SwapRoute>
}

/** A pair without any path. */
const EMPTY: Reading = { isEmpty: true, routeOf: Option.none }

/** An exchange on one chain. */
export interface Exchange {
  readonly router: Address.Address
  /** Recipients with a special meaning to the router, such as its caller. It does not deliver to them. */
  readonly reserved: ReadonlyArray<Address.Address>
  /** Route from one form of the native currency to the other, which needs no swap. Absent if the router makes none. */
  readonly changeForm?: (request: SwapRequest) => SwapRoute
  /** Reads the market at amounts that rise. */
  readonly read: (
    client: ChainClient,
    pair: Pair,
    amounts: ReadonlyArray<bigint>
  ) => Effect.Effect<Reading, ChainUnavailable>
  /** False if the pair is known to have no path. `nowMillis`: UNIX milliseconds. */
  readonly mayTrade: (chain: Chain.Chain, pair: Pair, nowMillis: number) => boolean
  /** One read for each pool that a pair may have, without a token between them. For estimates. */
  readonly poolReads: (pair: Pair) => ReadonlyArray<PoolRead>
}

/** Least output within the slippage tolerance. The delegate rejects an order whose minimum output is 0. */
export const leastOf = (amountOut: bigint, slippageBps: number): bigint => {
  const least = lessBps(amountOut, slippageBps)
  return least > 0n ? least : 1n
}

/** The route of a quoted path, with what the path tells about its market. It can be made again for what really arrives. */
export const remakable = <Path>(
  request: SwapRequest,
  quoted: Quoted<Path>,
  swapping: (request: SwapRequest, quoted: Quoted<Path>) => SwapRoute
): SwapRoute => ({
  ...swapping(request, quoted),
  ...(quoted.likelyOut > quoted.amountOut ? { likelyOut: quoted.likelyOut } : {}),
  ...(quoted.impactBps === undefined ? {} : { impactBps: quoted.impactBps }),
  remade: ({ amountOut, slippageBps }) =>
    remakable({ ...request, slippageBps }, { ...quoted, amountOut, likelyOut: amountOut }, swapping)
})

/** The route of the path behind the best one, if that leads by so much that it may not last. */
export const behind = <Path>(
  market: Market<Path>,
  { amountIn }: SwapRequest,
  routeOf: (quoted: Quoted<Path>) => SwapRoute
): ReadonlyArray<SwapRoute> => Option.toArray(outrun(market, amountIn)).map(routeOf)

/** A market whose routes are that of the best path, and the one behind it. Each can be made again for what really arrives. */
export const reading = <Path>(
  market: Market<Path>,
  swapping: (request: SwapRequest, quoted: Quoted<Path>) => SwapRoute
): Reading => ({
  isEmpty: market.length === 0,
  routeOf: (request) => {
    const routeOf = (quoted: Quoted<Path>) => remakable(request, quoted, swapping)
    return Option.map(best(market, request.amountIn), (quoted) =>
      withAlternatives(routeOf(quoted), behind(market, request, routeOf))
    )
  }
})

/** The route with others for when it fails. */
export const withAlternatives = (route: SwapRoute, alternatives: ReadonlyArray<SwapRoute>): SwapRoute =>
  alternatives.length === 0 ? route : { ...route, alternatives }

/** True if the node ran the call, which failed, as by a token that uses up its gas. An empty or malformed answer proves no such run. */
const isRefusal = (error: ChainUnavailable): boolean =>
  Multicall3.mayDivide(error) && error.detail !== Multicall3.UNUSABLE

/** The reason why the router cannot serve the request. Undefined if it can. */
const objection = (
  { reserved, router }: Exchange,
  { amountIn, recipient }: Pick<SwapRequest, "amountIn" | "recipient">
): string | undefined => {
  // For some routers, an amount of 0 means their whole balance.
  if (amountIn <= 0n) return "the amount is zero"
  return recipient === router || reserved.includes(recipient)
    ? `the router does not deliver to ${recipient}`
    : undefined
}

/** `exchangeOn`: the exchange on a chain; none if it is not there. */
export const make = (
  chains: Chains["Service"],
  provider: string,
  exchangeOn: (chain: Chain.Chain) => Option.Option<Exchange>
): SwapVenue["Service"] => {
  /** The exchange of a pair's chain, and the output token as an ERC-20. */
  const open = Effect.fnUntraced(function* (pair: SwapPair) {
    const client = yield* chains.get(pair.chainId)
    const exchange = yield* Effect.mapError(
      Effect.fromOption(exchangeOn(client.chain)),
      () => new NoRoute({ detail: `${provider} is not configured on ${client.chain.name}` })
    )
    return { client, exchange, tokenOut: Chain.erc20(client.chain, pair.tokenOut) }
  })

  /** Reads the pair's market at these amounts. The returned `routeOf` makes a route of an amount between them. */
  const marketOf = Effect.fn("OnChainVenue.market")(
    function* (pair: SwapPair, amounts: ReadonlyArray<bigint>) {
      const { client, exchange, tokenOut } = yield* open(pair)
      const isSame = pair.tokenIn === tokenOut
      const read =
        isSame || amounts.length === 0
          ? EMPTY
          : yield* exchange.read(
              client,
              { tokenIn: pair.tokenIn, tokenOut, divisible: pair.divisible === true },
              amounts
            )
      const routeOf = (request: SwapRequest): Effect.Effect<SwapRoute, NoRoute> => {
        const objected = objection(exchange, request)
        if (objected !== undefined) return Effect.fail(new NoRoute({ detail: objected }))
        if (isSame) {
          // A sweep of a token into itself is refused before it is routed, so this is the native currency in its other form.
          return pair.tokenIn === client.chain.wrappedNative && exchange.changeForm !== undefined
            ? Effect.succeed(exchange.changeForm(request))
            : Effect.fail(new NoRoute({ detail: "input and output are the same token" }))
        }
        return Effect.mapError(
          Effect.fromOption(read.routeOf(request)),
          () => new NoRoute({ detail: `no liquid pool from ${request.tokenIn} to ${request.tokenOut} on ${provider}` })
        )
      }
      return { isEmpty: read.isEmpty, routeOf }
    },
    Effect.catchTags({
      UnsupportedChain: (error) => Effect.fail(new NoRoute({ detail: error.message })),
      ChainUnavailable: (error) =>
        Effect.fail(
          new RoutingUnavailable({
            provider,
            detail: error.message,
            ...(isRefusal(error) ? { isCallRefused: true } : {})
          })
        )
    })
  )

  const route: SwapVenue["Service"]["route"] = (request) =>
    Effect.flatMap(marketOf(request, amountsOf(request)), ({ routeOf }) => routeOf(request))

  /** One amount does not tell if a division gains. */
  const amountsOf = ({ amountIn, divisible }: SwapPair): ReadonlyArray<bigint> =>
    divisible === true ? amountsUpTo(amountIn) : amountIn > 0n ? [amountIn] : []

  const prepare: SwapVenue["Service"]["prepare"] = Effect.fnUntraced(function* (pair) {
    const read = yield* Effect.result(marketOf(pair, amountsUpTo(pair.amountIn)))
    const routeOf: RouteOf = (terms) => {
      const request = { ...terms, ...pair, amountIn: terms.amountIn }
      return Effect.flatMap(Effect.fromResult(read), (market) =>
        market.isEmpty
          ? market.routeOf(request)
          : // Below what was read, as when fees take most of the amount, the market may have one all the same.
            Effect.catchTag(market.routeOf(request), "NoRoute", () => route(request))
      )
    }
    return routeOf
  })

  return { route, prepare }
}
