/**
 * {@link Bridge} over Across: a deposit into the source chain's SpokePool, which a relayer fills on the destination chain.
 * State and events of the pools prove the fill, so no status service is trusted. The output token needs a counterpart on the
 * source chain. The SpokePoolPeriphery swaps any other token into it first, in the same call.
 */
import { Effect, Layer } from "effect"
import { Bridge, type BridgeDeposit } from "../../ports/orchestrator/Bridge.ts"
import { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDelivery from "./AcrossDelivery.ts"
import { AcrossFees } from "./AcrossFees.ts"
import * as AcrossRoute from "./AcrossRoute.ts"
import { assertTerms, type Limits } from "./AcrossTerms.ts"
import { noRoute } from "./SpokePools.ts"

export interface Options extends Pick<Limits, "orderLifetimeSeconds">, Partial<Omit<Limits, "orderLifetimeSeconds">> {}

const make = Effect.fnUntraced(function* ({ maxFeeBps = 3_000, minFillSeconds = 600, orderLifetimeSeconds }: Options) {
  const limits: Limits = { maxFeeBps, minFillSeconds, orderLifetimeSeconds }
  const chains = yield* Chains
  const fees = yield* AcrossFees
  const venue = yield* SwapVenue

  const prepare = AcrossRoute.make({ chains, fees, limits, venue })

  const route: Bridge["Service"]["route"] = (request) =>
    Effect.flatMap(prepare(request), (routeOf) => routeOf(request.amountIn))

  const decode: Bridge["Service"]["decode"] = Effect.fn("Across.decode")(
    function* (sourceChainId, target, calldata) {
      const { chain } = yield* chains.get(sourceChainId)
      const { deposit, swap } = yield* Effect.mapError(
        Effect.fromOption(AcrossCall.decode(chain, target, calldata)),
        () => noRoute(`the calldata is not a deposit of Across on ${chain.name}`)
      )
      const { chain: destination } = yield* chains.get(Number(deposit.destinationChainId))
      const { decimals, inputToken } = yield* AcrossRoute.bridgedToken(chain, deposit.outputToken, destination)
      // After a swap into another token, no relayer would fill the deposit, and the refund would be in that token.
      if (deposit.inputToken !== inputToken) {
        return yield* noRoute(`${deposit.inputToken} is not the token that is bridged to ${deposit.outputToken}`)
      }
      yield* assertTerms(deposit, maxFeeBps, decimals)
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

  return Bridge.of({ route, prepare, decode, delivery: AcrossDelivery.make(chains) })
})

export const layer = (options: Options) => Layer.effect(Bridge, make(options))
