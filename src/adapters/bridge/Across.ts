/**
 * {@link Bridge} over Across: a deposit into the source chain's SpokePool, which a relayer fills on the destination chain.
 * State and events of the pools prove the fill, so no status service is trusted. The output token needs a counterpart on the
 * source chain. The SpokePoolPeriphery swaps any other token into it first, in the same call.
 */
import { Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import * as TokenEquivalence from "../../domain/TokenEquivalence.ts"
import { Bridge, type BridgeDeposit, type BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import { RoutingUnavailable, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDelivery from "./AcrossDelivery.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import { AcrossFees } from "./AcrossFees.ts"
import * as AcrossSwap from "./AcrossSwap.ts"
import { assertTerms, type Limits, times } from "./AcrossTerms.ts"
import { noRoute, PROVIDER } from "./SpokePools.ts"
import * as SpokePools from "./SpokePools.ts"

/**
 * Gas of a deposit. Measured: 42,000 to 45,000 for ordinary tokens with an unlimited allowance. Spending an exact allowance to
 * zero costs 5,000 more.
 */
const DEPOSIT_GAS = 60_000n

export interface Options extends Pick<Limits, "orderLifetimeSeconds">, Partial<Omit<Limits, "orderLifetimeSeconds">> {}

/** The token on `source` that the bridge turns into the ERC-20 `outputToken` on `destination`. */
const bridgedToken = (source: Chain.Chain, outputToken: Address.Address, destination: Chain.Chain) =>
  Effect.fromOption(TokenEquivalence.equivalent(destination, outputToken, source)).pipe(
    Effect.mapBoth({
      onSuccess: ({ address }) => address,
      onFailure: () => noRoute(`${outputToken} on ${destination.name} has no counterpart on ${source.name}`)
    })
  )

/** Chains, pools and tokens of a request. */
const ends = Effect.fnUntraced(function* (chains: Chains["Service"], request: BridgeRequest) {
  const source = yield* chains.get(request.sourceChainId)
  const destination = yield* chains.get(request.destChainId)
  if (source === destination) return yield* noRoute("source and destination are the same chain")
  if (request.amountIn <= 0n) return yield* noRoute("the amount is zero")
  const pool = yield* SpokePools.spokePoolOf(source.chain)
  const destinationPool = yield* SpokePools.spokePoolOf(destination.chain)
  const outputToken = Chain.erc20(destination.chain, request.tokenOut)
  const inputToken = yield* bridgedToken(source.chain, outputToken, destination.chain)
  return { source, destination, pool, destinationPool, outputToken, inputToken }
})

const make = Effect.fnUntraced(function* ({ maxFeeBps = 3_000, minFillSeconds = 600, orderLifetimeSeconds }: Options) {
  const limits: Limits = { maxFeeBps, minFillSeconds, orderLifetimeSeconds }
  const chains = yield* Chains
  const fees = yield* AcrossFees
  const venue = yield* SwapVenue

  const route = Effect.fn("Across.route")(
    function* (request: BridgeRequest) {
      const { destination, destinationPool, inputToken, outputToken, pool, source } = yield* ends(chains, request)
      const settings = yield* SpokePools.read(source, pool, destination, destinationPool)
      if (settings.isPaused) return yield* noRoute("Across is paused")
      yield* SpokePools.assertArrives(destination, request, settings.wrappedNative)

      const swap =
        inputToken === request.tokenIn ? undefined : yield* AcrossSwap.route(venue, source, request, inputToken)
      // A relayer's fee falls with the amount, so the fee for the minimum covers a larger amount.
      const inputAmount = swap?.minAmountOut ?? request.amountIn
      const quote = yield* fees.quote({
        source: source.chain,
        destination: destination.chain,
        inputToken,
        outputToken,
        inputAmount,
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
      yield* assertTerms(deposit, maxFeeBps)
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
    },
    Effect.catchTags({
      UnsupportedChain: (error) => Effect.fail(noRoute(error.message)),
      ChainUnavailable: (error) => Effect.fail(new RoutingUnavailable({ provider: PROVIDER, detail: error.message }))
    })
  )

  const decode: Bridge["Service"]["decode"] = Effect.fn("Across.decode")(
    function* (sourceChainId, target, calldata) {
      const { chain } = yield* chains.get(sourceChainId)
      const { deposit, swap } = yield* Effect.mapError(
        Effect.fromOption(AcrossCall.decode(chain, target, calldata)),
        () => noRoute(`the calldata is not a deposit of Across on ${chain.name}`)
      )
      const { chain: destination } = yield* chains.get(Number(deposit.destinationChainId))
      yield* assertTerms(deposit, maxFeeBps)
      // After a swap into another token, no relayer would fill the deposit, and the refund would be in that token.
      if (deposit.inputToken !== (yield* bridgedToken(chain, deposit.outputToken, destination))) {
        return yield* noRoute(`${deposit.inputToken} is not the token that is bridged to ${deposit.outputToken}`)
      }
      return {
        tokenIn: swap?.tokenIn ?? deposit.inputToken,
        amountIn: swap?.amountIn ?? deposit.inputAmount,
        tokenOut: deposit.outputToken,
        minAmountOut: deposit.outputAmount,
        destChainId: deposit.destinationChainId,
        depositor: deposit.depositor,
        recipient: deposit.recipient
      } satisfies BridgeDeposit
    },
    Effect.catchTag("UnsupportedChain", (error) => Effect.fail(noRoute(error.message)))
  )

  return Bridge.of({ route, decode, delivery: AcrossDelivery.make(chains) })
})

export const layer = (options: Options) => Layer.effect(Bridge, make(options))
