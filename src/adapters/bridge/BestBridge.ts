/**
 * {@link Bridge} over several named bridges. A request is sent to those that the operator offers, side by side, and the best route whose
 * calldata reads back as the request is taken, with those of the other bridges behind it. Deposits are decoded and followed by the bridge whose calls they are, also after the
 * operator no longer offers it.
 */
import { Cause, Effect, Layer, Option } from "effect"
import * as BridgeChoice from "../../domain/BridgeChoice.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { Bridge, type BridgeRequest, type BridgeRoute } from "../../ports/orchestrator/Bridge.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { askAll, LIMIT_MILLIS } from "../../runtime/SideBySide.ts"

export interface NamedBridge {
  readonly name: string
  readonly bridge: Bridge["Service"]
  /** True for the calldata of this bridge's calls. Of several bridges the first one counts. */
  readonly reads: (calldata: Hex) => boolean
  /** False for a bridge whose earlier deposits are followed, and that gets no new ones. */
  readonly isOffered: boolean
}

export interface Options extends BridgeChoice.TimeValue {
  /** Those of equal routes come first that are listed first. */
  readonly bridges: ReadonlyArray<NamedBridge>
  /** Reads the calldata that no other bridge reads. */
  readonly fallback: NamedBridge
}

type RouteOf = (amountIn: bigint) => Effect.Effect<BridgeRoute, NoRoute | RoutingUnavailable>

interface Offer extends BridgeRoute {
  readonly name: string
}

/** The failure of all bridges together: unavailable if another attempt may succeed. */
const joined = (
  failures: ReadonlyArray<{ readonly name: string; readonly cause: Cause.Cause<NoRoute | RoutingUnavailable> }>,
  silent: ReadonlyArray<string>,
  dishonest: ReadonlyArray<string>
) => {
  const details = [
    ...failures.map(({ cause, name }) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      return { name, detail: error?.detail ?? "failed", isFinal: error instanceof NoRoute }
    }),
    ...silent.map((name) => ({ name, detail: "no answer in time", isFinal: false })),
    ...dishonest.map((name) => ({ name, detail: "the deposit does not match the request", isFinal: true }))
  ]
  const detail = details.map((each) => `${each.name}: ${each.detail}`).join("; ")
  return details.every(({ isFinal }) => isFinal)
    ? new NoRoute({ detail })
    : new RoutingUnavailable({ provider: "bridges", detail })
}

const make = Effect.fnUntraced(function* ({ bridges: others, fallback, ...value }: Options) {
  const chains = yield* Chains
  const offered = [fallback, ...others].filter(({ isOffered }) => isOffered)
  const [only] = offered
  const readerOf = (calldata: Hex) => others.find(({ reads }) => reads(calldata)) ?? fallback

  /** True if the route's calldata is a deposit of the request, by the reading of the bridge itself. */
  const isHonest = Effect.fnUntraced(function* (
    request: BridgeRequest,
    { bridge, name }: NamedBridge,
    route: BridgeRoute
  ) {
    const { chain } = yield* chains.get(request.destChainId)
    const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
    const wanted = {
      tokenIn: request.tokenIn,
      amountIn: request.amountIn,
      tokenOut: Chain.erc20(chain, request.tokenOut),
      minAmountOut: route.minAmountOut,
      destChainId: BigInt(request.destChainId),
      depositor: request.depositor,
      recipient: request.recipient
    }
    const terms = BridgeChoice.differences(wanted, deposit)
    if (terms.length === 0) return true
    yield* Effect.annotateLogs(Effect.logWarning("bridge.dishonest"), { bridge: name, terms: terms.join(" ") })
    return false
  })

  const choose = Effect.fnUntraced(function* (
    request: BridgeRequest,
    sources: ReadonlyArray<{ readonly named: NamedBridge; readonly routeOf: RouteOf }>
  ): Effect.fn.Return<BridgeRoute, NoRoute | RoutingUnavailable> {
    const { answers, failures, silent } = yield* askAll(
      sources.map(({ named, routeOf }) => ({
        name: named.name,
        ask: Effect.gen(function* () {
          const route = yield* routeOf(request.amountIn)
          // A bridge whose route cannot be read, or whose reading fails, is as dishonest as one that reads differently.
          const honest = yield* Effect.exit(isHonest(request, named, route))
          return { route, isHonest: honest._tag === "Success" && honest.value }
        })
      })),
      { isGood: (answer) => Effect.succeed(answer.isHonest) }
    )
    const offers = answers.flatMap(({ name, value: { isHonest: honest, route } }): ReadonlyArray<Offer> =>
      honest ? [{ ...route, name }] : []
    )
    const routes = offers.flatMap(({ alternatives = [], name: _name, ...route }): ReadonlyArray<BridgeRoute> => [
      route,
      ...alternatives
    ])
    const [best, ...rest] = BridgeChoice.ranked(routes, value)
    if (best !== undefined) return rest.length === 0 ? best : { ...best, alternatives: rest }
    const dishonest = answers.flatMap(({ name, value: { isHonest: honest } }) => (honest ? [] : [name]))
    return yield* joined(failures, silent, dishonest)
  })

  const prepare: Bridge["Service"]["prepare"] = Effect.fn("BestBridge.prepare")(function* (request) {
    // There is nothing to choose, so its own time limits hold.
    if (only !== undefined && offered.length === 1) return yield* only.bridge.prepare(request)
    // Each reading counts, and none shortens the time of another.
    const { answers } = yield* askAll(
      offered.map((named) => ({
        name: named.name,
        ask: Effect.map(named.bridge.prepare(request), (routeOf) => ({ named, routeOf }))
      })),
      { graceMillis: LIMIT_MILLIS }
    )
    const prepared = answers.map(({ value: source }) => source)
    const lost = offered.filter(({ name }) => !prepared.some(({ named }) => named.name === name))
    const silentRouteOf: RouteOf = () =>
      Effect.fail(new RoutingUnavailable({ provider: "bridges", detail: "the chains could not be read in time" }))
    const sources = [...prepared, ...lost.map((named) => ({ named, routeOf: silentRouteOf }))]
    return (amountIn) => choose({ ...request, amountIn }, sources)
  })

  return Bridge.of({
    prepare,
    route: (request) => Effect.flatMap(prepare(request), (routeOf) => routeOf(request.amountIn)),
    decode: (sourceChainId, target, calldata) => readerOf(calldata).bridge.decode(sourceChainId, target, calldata),
    delivery: (options) => readerOf(options.order.swapCalldata).bridge.delivery(options)
  })
})

export const layer = (options: Options) => Layer.effect(Bridge, make(options))
