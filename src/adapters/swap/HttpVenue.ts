/**
 * A service that is asked for routes over HTTP, as a source among venues.
 *
 * A service fixes the amount in its calldata, and a quote knows the amount only after its fees. So nothing is asked while a market is
 * read, and each amount is asked for once. A service is asked for six routes of a quote at most, and a seventh amount has no route:
 *
 * 1. The whole amount, whose sale prices a token that no source of prices knows.
 * 2. The rest after the likely cost, which a route by exchanges alone tells.
 * 3. The rest after the assumed cost, if there is no route of the likely one.
 * 4. The rest after the cost that the best of these routes tells, if it is another one.
 * 5. The rest after the simulated cost, if that does not fit the charged one.
 * 6. The rest after the second simulated cost, if the route of the fifth amount costs otherwise.
 *
 * Most quotes ask for one or two of them.
 */
import { Effect, Option, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { NoRoute, RoutingUnavailable, type SwapRequest, type SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { toItsEnd } from "../../runtime/Within.ts"
import * as Objection from "../providers/Objection.ts"
import type * as Provider from "../providers/Provider.ts"
import type { ProviderUnavailable } from "../providers/ProviderUnavailable.ts"
import * as Subject from "../providers/Subject.ts"
import * as RouteClaim from "./RouteClaim.ts"
import type { VenueSource } from "./VenueSource.ts"

/** Settings of every service. */
export interface Options {
  /** Default: the service's public URL. */
  readonly baseUrl?: string | undefined
  readonly deadline?: Provider.Options["deadline"]
}

/** The claim of an answer, or the reason why it cannot be used. */
export type Claimed = Result.Result<RouteClaim.Claim, Objection.Objection>

export interface Service {
  readonly provider: Provider.Provider
  /** The service's contracts on the chains where it is known, unless the chains file names others. */
  readonly routers: Readonly<Record<ChainId, Address.Address>>
  /** Asks for a route. `accept` compares the answer with the request. */
  readonly ask: (
    request: SwapRequest,
    routers: ReadonlyArray<Address.Address>,
    accept: (claimed: Claimed) => Effect.Effect<SwapRoute, NoRoute | ProviderUnavailable>
  ) => Effect.Effect<SwapRoute, NoRoute | ProviderUnavailable>
}

/** Most routes that a service is asked for in one quote. */
export const ROUTES_PER_QUOTE = 6

/** Contracts of a service on a chain: the targets of this name in the chains file, or else the known one. */
export const routersOn = (
  name: string,
  known: Service["routers"],
  chain: Pick<Chain.Chain, "id" | "targets">
): ReadonlyArray<Address.Address> => {
  const named = (chain.targets ?? []).filter((target) => target.name === name && target.kind === "router")
  if (named.length > 0) return named.map(({ address }) => address)
  return Option.match(Option.fromUndefinedOr(known[chain.id]), { onNone: () => [], onSome: (router) => [router] })
}

const noRoute = (detail: string) => Effect.fail(new NoRoute({ detail }))

export const make = Effect.fnUntraced(function* ({ ask, provider, routers: known }: Service) {
  const chains = yield* Chains
  const { name } = provider

  const routeOf = Effect.fn("HttpVenue.route")(
    function* (request: SwapRequest) {
      const { chain } = yield* chains.get(request.chainId)
      if (request.amountIn <= 0n) return yield* noRoute("the amount is zero")
      // Wrapped and native currency are exchanged one to one without a service.
      if (request.tokenIn === Chain.erc20(chain, request.tokenOut))
        return yield* noRoute("input and output are the same")
      const routers = routersOn(name, known, chain)
      if (routers.length === 0) return yield* noRoute(`${name} has no known router on ${chain.name}`)
      return yield* ask(request, routers, (claimed) =>
        Effect.catch(
          Effect.fromResult(Result.flatMap(claimed, (claim) => RouteClaim.route(name, request, routers, claim))),
          (objection) => Objection.refuse(provider, objection)
        )
      ).pipe(Subject.of(Subject.unlisted([chain, request.tokenIn], [chain, request.tokenOut])))
    },
    Effect.catchTags({
      UnsupportedChain: (error) => noRoute(error.message),
      ProviderUnavailable: ({ detail }) => Effect.fail(new RoutingUnavailable({ provider: name, detail }))
    })
  )

  const prepare: VenueSource["prepare"] = (pair) =>
    Effect.sync(() => {
      const found = new Map<bigint, SwapRoute>()
      let asked = 0
      return (terms) =>
        Effect.suspend(() => {
          const { amountIn } = terms
          const before = found.get(amountIn)
          if (before !== undefined) return Effect.succeed(before)
          if (asked >= ROUTES_PER_QUOTE) return noRoute(`${name} was asked ${ROUTES_PER_QUOTE} times for this quote`)
          asked++
          const asking = Effect.tap(routeOf({ ...pair, ...terms }), (route) =>
            Effect.sync(() => found.set(amountIn, route))
          )
          // A quote that waits no longer must not hide that the service does not answer.
          return toItsEnd(asking)
        })
    })

  return { name, routersOn: (chain) => routersOn(name, known, chain), prepare } satisfies VenueSource
})
