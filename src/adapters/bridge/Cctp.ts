/**
 * Bridge over Circle's CCTP, which burns USDC on one chain and mints it on another. The call names recipient, chain and largest fee, and the
 * contracts of both chains enforce them. Circle attests to the burn and sends the mint (its Forwarding Service), for a part of the amount.
 * Nothing returns a burn: until it is minted, only Circle's attestation stands for it, with which anybody can send the mint.
 */
import { Effect } from "effect"
import type { TimeValue } from "../../domain/BridgeChoice.ts"
import type { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { Idempotency } from "../../ports/shared/Idempotency.ts"
import * as Provider from "../providers/Provider.ts"
import type { NamedBridge } from "./BestBridge.ts"
import * as CctpContracts from "./CctpContracts.ts"
import * as CctpDelivery from "./CctpDelivery.ts"
import * as CctpDeposit from "./CctpDeposit.ts"
import * as CctpRoute from "./CctpRoute.ts"
import * as ListedBridges from "./ListedBridges.ts"
import * as ProofClaims from "./ProofClaims.ts"

export const { NAME } = CctpContracts
const { noRoute } = CctpContracts

/** Name by which operators see the requests for attested messages. */
const STATUS_NAME = "cctp-status"

export interface Options extends TimeValue {
  /** Default: `https://iris-api.circle.com`. */
  readonly apiUrl?: string
  readonly isOffered: boolean
}

/** Parts of Circle's limit of 35 requests a second, beyond which it refuses all for five minutes: for quotes, and for deliveries. */
const BUDGET = { requests: 10, per: "1 second" } as const
const STATUS_BUDGET = { requests: 20, per: "1 second" } as const

export const make = Effect.fnUntraced(function* (options: Options) {
  const { apiUrl = "https://iris-api.circle.com", bpsPerHour, isOffered } = options
  const chains = yield* Chains
  const idempotency = yield* Idempotency
  const listed = ListedBridges.make(NAME)
  const contractsOf = CctpContracts.make()
  const provider = yield* Provider.make({ name: NAME, baseUrl: apiUrl, budget: BUDGET })
  // Anybody may ask for quotes. Apart from them, so that a flood of quotes, or quotes that fail, delay no delivery.
  const statuses = yield* Provider.make({ name: STATUS_NAME, baseUrl: apiUrl, budget: STATUS_BUDGET })

  const route = CctpRoute.make({ bpsPerHour, chains, contractsOf, listed, provider })

  /** Circle's numbers of chains and its mapping of tokens must say what the terms say. */
  const decode: Bridge["Service"]["decode"] = Effect.fn("Cctp.decode")(
    function* (sourceChainId, target, calldata) {
      const deposit = yield* Effect.mapError(Effect.fromOption(CctpDeposit.decode(calldata)), () =>
        noRoute("the calldata is not a burn with its terms")
      )
      const [source, destination] = yield* Effect.all([
        chains.get(sourceChainId),
        chains.get(Number(deposit.destChainId))
      ])
      const contracts = yield* contractsOf(source, target, deposit.tokenIn, destination)
      if (contracts.destinationDomain === deposit.destinationDomain && contracts.tokenOut === deposit.tokenOut) {
        return deposit
      }
      return yield* noRoute("the burn is minted as another token or on another chain than its terms say")
    },
    Effect.catchTags({
      UnsupportedChain: ({ message }) => Effect.fail(noRoute(message)),
      ChainUnavailable: ({ message }) => Effect.fail(noRoute(message))
    })
  )

  const bridge: Bridge["Service"] = {
    route,
    prepare: (request) => Effect.succeed((amountIn) => route({ ...request, amountIn })),
    decode,
    delivery: CctpDelivery.make({ chains, provider: statuses, contractsOf, claims: ProofClaims.makeOne(idempotency) })
  }
  const named: NamedBridge = {
    name: NAME,
    bridge,
    isOffered,
    reads: (calldata) => calldata.slice(0, 10).toLowerCase() === CctpDeposit.SELECTOR
  }
  return named
})
