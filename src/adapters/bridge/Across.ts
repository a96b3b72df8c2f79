/**
 * {@link Bridge} over Across: a deposit into the source chain's SpokePool, which a relayer fills on the destination chain.
 * State and events of the pools prove the fill, so no status service is trusted. The SpokePoolPeriphery swaps
 * a token that the bridge does not carry into one that it does, in the same call. On arrival, the MulticallHandler swaps what the bridge
 * carries into any other token.
 */
import { Effect, Layer, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { Bridge, type BridgeDeposit } from "../../ports/orchestrator/Bridge.ts"
import { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDelivery from "./AcrossDelivery.ts"
import type { AcrossDeposit } from "./AcrossDeposit.ts"
import { AcrossFees } from "./AcrossFees.ts"
import * as AcrossPurchase from "./AcrossPurchase.ts"
import * as AcrossRoute from "./AcrossRoute.ts"
import { assertTerms, type Limits } from "./AcrossTerms.ts"
import { noRoute } from "./SpokePools.ts"

/** The swap on arrival of a deposit, if it has a message. Fails unless that swap is all that the message does. */
const purchaseOf = (destination: Chain, deposit: AcrossDeposit) =>
  deposit.message === undefined
    ? Effect.undefined
    : Effect.mapError(
        Effect.fromOption(
          Option.flatMap(AcrossPurchase.decode(deposit.message), (purchase) =>
            AcrossPurchase.boughtBy(destination, purchase, deposit)
          )
        ),
        () => noRoute(`the deposit's message is not a swap on arrival on ${destination.name}`)
      )

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
      const bought = yield* purchaseOf(destination, deposit)
      return {
        tokenIn: swap?.tokenIn ?? deposit.inputToken,
        amountIn: swap?.amountIn ?? deposit.inputAmount,
        tokenOut: bought?.token ?? deposit.outputToken,
        minAmountOut: bought?.minAmount ?? deposit.outputAmount,
        destChainId: deposit.destinationChainId,
        depositor: deposit.depositor,
        recipient: bought?.recipient ?? deposit.recipient
      } satisfies BridgeDeposit
    },
    Effect.catchTag("UnsupportedChain", (error) => Effect.fail(noRoute(error.message)))
  )

  return Bridge.of({ route, prepare, decode, delivery: AcrossDelivery.make(chains) })
})

export const layer = (options: Options) => Layer.effect(Bridge, make(options))
