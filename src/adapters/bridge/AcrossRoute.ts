/** Routes of Across: reads both chains once, and makes the deposit of an amount from what was read. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Bridge, BridgeRequest, BridgeRoute } from "../../ports/orchestrator/Bridge.ts"
import { type NoRoute, RoutingUnavailable, type SwapRoute, type SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient, Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as AcrossArrival from "./AcrossArrival.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import type { AcrossFees } from "./AcrossFees.ts"
import * as AcrossRehearsal from "./AcrossRehearsal.ts"
import * as AcrossSwap from "./AcrossSwap.ts"
import { assertTerms, type Limits } from "./AcrossTerms.ts"
import { noRoute, PROVIDER } from "./SpokePools.ts"
import * as SpokePools from "./SpokePools.ts"

/**
 * Gas of a deposit. Measured: 42,000 to 45,000 for ordinary tokens with an unlimited allowance. Spending an exact allowance to
 * zero costs 5,000 more.
 */
const DEPOSIT_GAS = 60_000n

export interface Parts {
  readonly chains: Chains["Service"]
  readonly fees: AcrossFees["Service"]
  readonly limits: Limits
  /** Makes the swap before the deposit. */
  readonly venue: SwapVenue["Service"]
}

/** {@link AcrossArrival.carriedAs}, or no route. */
export const bridgedToken = (source: Chain.Chain, outputToken: Address.Address, destination: Chain.Chain) =>
  Effect.mapError(Effect.fromOption(AcrossArrival.carriedAs(source, outputToken, destination)), () =>
    noRoute(`${outputToken} on ${destination.name} has no counterpart on ${source.name}`)
  )

/** The asset that is carried for a request: the wanted one, or another one that is swapped on arrival. */
const carried = (source: Chain.Chain, request: BridgeRequest, destination: Chain.Chain) => {
  const instead = AcrossArrival.carriedInstead(source, request.tokenIn, destination)
  return Effect.catch(
    Effect.map(bridgedToken(source, Chain.erc20(destination, request.tokenOut), destination), (asset) => ({
      ...asset,
      buyer: undefined
    })),
    (none) => (Option.isSome(instead) ? Effect.succeed(instead.value) : Effect.fail(none))
  )
}

/** Chains, pools and tokens of a request. */
const ends = Effect.fnUntraced(function* (chains: Chains["Service"], request: BridgeRequest) {
  const source = yield* chains.get(request.sourceChainId)
  const destination = yield* chains.get(request.destChainId)
  if (source === destination) return yield* noRoute("source and destination are the same chain")
  const pool = yield* SpokePools.spokePoolOf(source.chain)
  const destinationPool = yield* SpokePools.spokePoolOf(destination.chain)
  return { source, destination, pool, destinationPool, ...(yield* carried(source.chain, request, destination.chain)) }
})

/** Rehearses a purchase on arrival. */
const rehearsed = (
  venue: SwapVenue["Service"],
  source: ChainClient,
  destination: ChainClient,
  { handler }: AcrossArrival.Buyer,
  request: BridgeRequest
): Effect.Effect<void, NoRoute | RoutingUnavailable | ChainUnavailable> =>
  Effect.catchTag(AcrossRehearsal.rehearse(venue, destination, handler, request), "NoRoute", ({ detail }) =>
    Effect.fail(AcrossArrival.notBought(request.tokenOut, source.chain, destination.chain, detail))
  )

/** Everything about a request that is read from its chains, side by side. */
const look = Effect.fnUntraced(
  function* ({ chains, venue }: Parts, request: BridgeRequest) {
    const found = yield* ends(chains, request)
    const { buyer, destination, destinationPool, inputToken, pool, source } = found
    // A router pays the form of the token that it is told to, and the pool the one that the recipient's code decides.
    const mayUnwrap = buyer === undefined && SpokePools.mayUnwrap(destination, request)
    const code = yield* Effect.cached(destination.code(request.recipient))
    const [settings, swapOf] = yield* Effect.all(
      [
        SpokePools.read(source, pool, destination, destinationPool),
        inputToken === request.tokenIn ? Effect.undefined : AcrossSwap.prepare(venue, source, request, inputToken),
        mayUnwrap ? code : Effect.void,
        buyer === undefined ? Effect.void : rehearsed(venue, source, destination, buyer, request)
      ],
      { concurrency: "unbounded" }
    )
    if (settings.isPaused) return yield* noRoute("Across is paused")
    const outputUnwraps =
      buyer === undefined && (yield* SpokePools.unwrapsUnasked(destination, request, settings.wrappedNative, code))
    return { ...found, settings, swapOf, outputUnwraps }
  },
  Effect.catchTags({
    UnsupportedChain: (error) => Effect.fail(noRoute(error.message)),
    ChainUnavailable: (error) => Effect.fail(new RoutingUnavailable({ provider: PROVIDER, detail: error.message }))
  })
)

type Read = Effect.Success<ReturnType<typeof look>>

/** The members of a route that tell of its arrival. */
const arriving = (
  { amountOut, provider }: Pick<BridgeRoute, "amountOut" | "provider">,
  { deposit, purchase }: AcrossArrival.Arrival,
  { outputToken, outputUnwraps }: Pick<Read, "outputToken" | "outputUnwraps">
): Pick<BridgeRoute, "provider" | "amountOut" | "minAmountOut" | "arrival"> =>
  purchase === undefined
    ? {
        provider,
        amountOut,
        minAmountOut: deposit.outputAmount,
        ...(outputUnwraps ? { arrival: { outputUnwraps } } : {})
      }
    : {
        provider: `${provider}+${purchase.provider}`,
        amountOut: purchase.amountOut,
        minAmountOut: purchase.minAmountOut,
        arrival: { arrivesInsteadIfSwapFails: { token: outputToken, minAmount: deposit.outputAmount } }
      }

/** The route of the request from what was read, with the swap before the deposit if there is one. */
const routeWith = Effect.fnUntraced(function* (
  parts: Parts,
  read: Read,
  request: BridgeRequest,
  swap: AcrossSwap.Swap | undefined
) {
  const { buyer, decimals, destination, inputToken, outputToken, pool, settings, source } = read
  // A relayer's fee falls with the amount, so the fee for the minimum covers a larger amount.
  const inputAmount = swap?.minAmountOut ?? request.amountIn
  const feeRequest = {
    source: source.chain,
    destination: destination.chain,
    inputToken,
    outputToken,
    inputAmount,
    decimals,
    recipient: request.recipient,
    now: settings.now
  }
  const arrival = yield* buyer === undefined
    ? AcrossArrival.plain(parts, feeRequest, settings)
    : AcrossArrival.bought(parts, feeRequest, settings, buyer, destination, request)
  const deposit = {
    depositor: request.depositor,
    inputToken,
    outputToken,
    inputAmount,
    destinationChainId: BigInt(destination.chain.id),
    ...arrival.deposit
  }
  yield* assertTerms(deposit, parts.limits.maxFeeBps, decimals)
  const plain = {
    provider: PROVIDER,
    target: pool,
    calldata: AcrossDeposit.encode(deposit),
    amountOut: deposit.outputAmount,
    gas: DEPOSIT_GAS,
    passing: 0,
    estimatedSeconds: arrival.estimatedSeconds
  }
  const route =
    swap === undefined ? plain : { ...plain, ...AcrossSwap.before(pool, deposit, DEPOSIT_GAS, request, swap) }
  return { ...route, ...arriving(route, arrival, read) } satisfies BridgeRoute
})

/** Venues beside the best one whose swap before the deposit is made too. Each costs a request for the bridge's fee. */
const OTHER_VENUES = 1

/** The route of the request from what was read. That of the next venue stands behind it, for when the best one does not deliver. */
const routeFrom = Effect.fnUntraced(function* (parts: Parts, read: Read, request: BridgeRequest) {
  if (read.swapOf === undefined) return yield* routeWith(parts, read, request, undefined)
  const swap = yield* read.swapOf(request.amountIn)
  const others = (swap.alternatives ?? []).slice(0, OTHER_VENUES)
  const nextWith = (other: SwapRoute) =>
    Effect.option(routeWith(parts, read, request, { ...other, periphery: swap.periphery }))
  const [route, nexts] = yield* Effect.all(
    [routeWith(parts, read, request, swap), Effect.forEach(others, nextWith, { concurrency: "unbounded" })],
    { concurrency: "unbounded" }
  )
  const alternatives = nexts.flatMap(Option.toArray)
  return alternatives.length === 0 ? route : { ...route, alternatives }
})

/** Makes the bridge's `prepare`. */
export const make = (parts: Parts): Bridge["Service"]["prepare"] => {
  return Effect.fn("Across.prepare")(function* (request) {
    const looked = yield* Effect.result(look(parts, request))
    return (amountIn: bigint) =>
      amountIn > 0n
        ? Effect.flatMap(Effect.fromResult(looked), (read) => routeFrom(parts, read, { ...request, amountIn }))
        : Effect.fail(noRoute("the amount is zero"))
  })
}
