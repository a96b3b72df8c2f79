/** Routes of Across: reads both chains once, and makes the deposit of an amount from what was read. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import * as TokenEquivalence from "../../domain/TokenEquivalence.ts"
import type { Bridge, BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import { RoutingUnavailable, type SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { Chains } from "../../ports/shared/Chains.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import type { AcrossFees } from "./AcrossFees.ts"
import * as AcrossSwap from "./AcrossSwap.ts"
import { assertTerms, type Limits, times } from "./AcrossTerms.ts"
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

/** The token on `source` that the bridge turns into the ERC-20 `outputToken` on `destination`, with the decimals of both. */
export const bridgedToken = (source: Chain.Chain, outputToken: Address.Address, destination: Chain.Chain) =>
  Effect.fromOption(TokenEquivalence.tie(destination, outputToken, source)).pipe(
    Effect.mapBoth({
      onSuccess: ({ counterpart, decimals }) => ({
        inputToken: counterpart.address,
        decimals: { from: counterpart.decimals, to: decimals }
      }),
      onFailure: () => noRoute(`${outputToken} on ${destination.name} has no counterpart on ${source.name}`)
    })
  )

/** Chains, pools and tokens of a request. */
const ends = Effect.fnUntraced(function* (chains: Chains["Service"], request: BridgeRequest) {
  const source = yield* chains.get(request.sourceChainId)
  const destination = yield* chains.get(request.destChainId)
  if (source === destination) return yield* noRoute("source and destination are the same chain")
  const pool = yield* SpokePools.spokePoolOf(source.chain)
  const destinationPool = yield* SpokePools.spokePoolOf(destination.chain)
  const outputToken = Chain.erc20(destination.chain, request.tokenOut)
  const bridged = yield* bridgedToken(source.chain, outputToken, destination.chain)
  return { source, destination, pool, destinationPool, outputToken, ...bridged }
})

/** Everything about a request that is read from its chains, side by side. */
const look = Effect.fnUntraced(
  function* ({ chains, venue }: Parts, request: BridgeRequest) {
    const found = yield* ends(chains, request)
    const { destination, destinationPool, inputToken, pool, source } = found
    const code = yield* Effect.cached(destination.code(request.recipient))
    const [settings, swapOf] = yield* Effect.all(
      [
        SpokePools.read(source, pool, destination, destinationPool),
        inputToken === request.tokenIn ? Effect.undefined : AcrossSwap.prepare(venue, source, request, inputToken),
        SpokePools.mayUnwrap(destination, request) ? code : Effect.void
      ],
      { concurrency: "unbounded" }
    )
    if (settings.isPaused) return yield* noRoute("Across is paused")
    yield* SpokePools.assertArrives(destination, request, settings.wrappedNative, code)
    return { ...found, settings, swapOf }
  },
  Effect.catchTags({
    UnsupportedChain: (error) => Effect.fail(noRoute(error.message)),
    ChainUnavailable: (error) => Effect.fail(new RoutingUnavailable({ provider: PROVIDER, detail: error.message }))
  })
)

/** The route of the request from what was read. */
const routeFrom = Effect.fnUntraced(function* (
  { fees, limits }: Parts,
  {
    decimals,
    destination,
    inputToken,
    outputToken,
    pool,
    settings,
    source,
    swapOf
  }: Effect.Success<ReturnType<typeof look>>,
  request: BridgeRequest
) {
  const swap = swapOf === undefined ? undefined : yield* swapOf(request.amountIn)
  // A relayer's fee falls with the amount, so the fee for the minimum covers a larger amount.
  const inputAmount = swap?.minAmountOut ?? request.amountIn
  const quote = yield* fees.quote({
    source: source.chain,
    destination: destination.chain,
    inputToken,
    outputToken,
    inputAmount,
    decimals,
    recipient: request.recipient,
    now: settings.now
  })
  const deposit = {
    depositor: request.depositor,
    recipient: request.recipient,
    inputToken,
    outputToken,
    inputAmount,
    outputAmount: quote.outputAmount,
    destinationChainId: BigInt(destination.chain.id),
    exclusiveRelayer: quote.exclusiveRelayer,
    exclusivityParameter: quote.exclusivitySeconds,
    ...(yield* times(quote, limits, settings))
  }
  yield* assertTerms(deposit, limits.maxFeeBps, decimals)
  const plain = {
    provider: PROVIDER,
    target: pool,
    calldata: AcrossDeposit.encode(deposit),
    amountOut: deposit.outputAmount,
    minAmountOut: deposit.outputAmount,
    gas: DEPOSIT_GAS,
    passing: 0,
    estimatedSeconds: quote.estimatedSeconds
  }
  return swap === undefined ? plain : { ...plain, ...AcrossSwap.before(pool, deposit, DEPOSIT_GAS, request, swap) }
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
