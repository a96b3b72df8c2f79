/** Routes of CCTP: the burn of an amount, by the fees that Circle asks for. */
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import * as BridgeChoice from "../../domain/BridgeChoice.ts"
import type { Chain } from "../../domain/Chain.ts"
import { isNative } from "../../domain/Token.ts"
import type { Bridge, BridgeRequest, BridgeRoute } from "../../ports/orchestrator/Bridge.ts"
import { RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import type { Chains } from "../../ports/shared/Chains.ts"
import { toItsEnd } from "../../runtime/Within.ts"
import * as Answer from "../providers/Answer.ts"
import type { Provider } from "../providers/Provider.ts"
import * as CctpContracts from "./CctpContracts.ts"
import * as CctpDeposit from "./CctpDeposit.ts"
import * as CctpFees from "./CctpFees.ts"
import type * as ListedBridges from "./ListedBridges.ts"

const { NAME, noRoute } = CctpContracts

/** Gas of a burn: a transfer, the burn of it, and two logs. */
const BURN_GAS = 130_000n

/** Seconds in which Circle attests to a burn in a confirmed block. */
const FAST_SECONDS = 20

/** Seconds in which a block becomes final, of a chain that does not say it. */
const FINALITY_SECONDS = 1_200

/** Seconds in which Circle sends the mint of an attested burn. */
const MINT_SECONDS = 20

const readFees = Answer.json(CctpFees.Fees)

const secondsOf = (source: Chain, finality: number): number =>
  MINT_SECONDS + (finality === CctpDeposit.FAST ? FAST_SECONDS : (source.finalitySeconds ?? FINALITY_SECONDS))

const unavailable = (detail: string) => new RoutingUnavailable({ provider: NAME, detail })

export interface Parts extends BridgeChoice.TimeValue {
  readonly chains: Chains["Service"]
  /** Asked for fees. */
  readonly provider: Provider
  readonly listed: ReturnType<typeof ListedBridges.make>
  readonly contractsOf: ReturnType<typeof CctpContracts.make>
}

/** Makes the bridge's `route`. */
export const make = ({ bpsPerHour, chains, contractsOf, listed, provider }: Parts): Bridge["Service"]["route"] => {
  const feesOf = ({ destinationDomain, sourceDomain }: CctpContracts.Contracts) =>
    provider
      .ask(
        HttpClientRequest.get(`/v2/burn/USDC/fees/${sourceDomain}/${destinationDomain}`, {
          urlParams: { forward: "true" }
        }),
        Effect.fnUntraced(function* (reply) {
          if (reply.status >= 400) return yield* noRoute("Circle has no fees for these chains")
          return yield* readFees(reply)
        })
      )
      .pipe(
        toItsEnd,
        Effect.catchTag("ProviderUnavailable", ({ detail }) => Effect.fail(unavailable(detail)))
      )

  return Effect.fn("Cctp.route")(
    function* (request: BridgeRequest) {
      const { amountIn, depositor, recipient, tokenIn, tokenOut } = request
      const [source, destination] = yield* Effect.all([
        chains.get(request.sourceChainId),
        chains.get(request.destChainId)
      ]).pipe(Effect.mapError(({ message }) => noRoute(message)))
      if (isNative(tokenOut)) return yield* noRoute("only USDC is carried")
      if (amountIn <= 0n) return yield* noRoute("the amount is zero")
      const [messenger] = yield* listed(source)
      if (messenger === undefined) return yield* noRoute(`no messenger is listed on ${source.chain.name}`)
      const contracts = yield* contractsOf(source, messenger, tokenIn, destination)
      if (contracts.tokenOut !== tokenOut || contracts.burnLimit === 0n) return yield* noRoute("only USDC is carried")
      if (amountIn > contracts.burnLimit) return yield* noRoute(`one burn carries at most ${contracts.burnLimit}`)
      const offers = CctpFees.termsOf(yield* feesOf(contracts), amountIn).map((terms) => ({
        ...terms,
        estimatedSeconds: secondsOf(source.chain, terms.finality)
      }))
      const [best] = BridgeChoice.ranked(offers, { bpsPerHour })
      if (best === undefined) {
        return yield* noRoute("the amount is not worth Circle's fees, or Circle sends no mint there")
      }
      const { amountOut, estimatedSeconds, finality, minAmountOut } = best
      const calldata = CctpDeposit.encode({
        tokenIn,
        amountIn,
        tokenOut,
        minAmountOut,
        destChainId: BigInt(request.destChainId),
        depositor,
        recipient,
        destinationDomain: contracts.destinationDomain,
        finality
      })
      return {
        provider: NAME,
        target: messenger,
        calldata,
        amountOut,
        minAmountOut,
        gas: BURN_GAS,
        // The minter holds the amount until it burns it.
        passing: 1,
        estimatedSeconds
      } satisfies BridgeRoute
    },
    Effect.catchTag("ChainUnavailable", ({ message }) => Effect.fail(unavailable(message)))
  )
}
