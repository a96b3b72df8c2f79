/**
 * Bridge over Relay, a service whose solvers deliver on the destination chain and are paid from its depository. The depository's call
 * names no recipient, so the service alone decides who receives what: answers are compared with their requests, promises with prices
 * of our own, the value that is under way is limited, and deliveries are proved by the destination's logs. Only direct deposits are used, not the service's own routers, whose calls cannot be read.
 */
import { Effect, Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Chain from "../../domain/Chain.ts"
import { isNative } from "../../domain/Token.ts"
import type { Bridge, BridgeRequest, BridgeRoute } from "../../ports/orchestrator/Bridge.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { Idempotency } from "../../ports/shared/Idempotency.ts"
import { toItsEnd } from "../../runtime/Within.ts"
import * as Answer from "../providers/Answer.ts"
import * as Objection from "../providers/Objection.ts"
import * as Provider from "../providers/Provider.ts"
import * as Subject from "../providers/Subject.ts"
import type { NamedBridge } from "./BestBridge.ts"
import * as ListedBridges from "./ListedBridges.ts"
import * as ProvedArrival from "./ProvedArrival.ts"
import * as RelayDelivery from "./RelayDelivery.ts"
import * as RelayDeposit from "./RelayDeposit.ts"
import * as RelayPromises from "./RelayPromises.ts"
import * as RelayQuote from "./RelayQuote.ts"

/** Name of the bridge in settings, quotes and logs, and of its `targets` in the chains file. */
export const { NAME } = RelayDelivery

/** Name by which operators see the requests for the states of deposits. */
const STATUS_NAME = "relay-status"

export interface Options {
  /** Default: `https://api.relay.link`. */
  readonly apiUrl?: string
  readonly apiKey?: Redacted.Redacted | undefined
  readonly isOffered: boolean
}

/** Gas of a direct deposit of an ERC-20, which is one transfer and one event. */
const DEPOSIT_GAS = 60_000n

/** Quotes a minute without a key, less a margin. */
const BUDGET = { requests: 40, per: "1 minute" } as const

const readQuote = Answer.json(RelayQuote.RelayAnswer)
const readRefusal = Answer.json(RelayQuote.RelayRefusal)

const noRoute = (detail: string) => new NoRoute({ detail: `${NAME}: ${detail}` })

const fromProvider = ({ detail }: { readonly detail: string }) => new RoutingUnavailable({ provider: NAME, detail })

/** Error codes hold no text of users, unlike messages. */
const PLAIN_CODE = /^[A-Z_]{1,40}$/

const refusalOf = (answer: Answer.Answer) =>
  Effect.flatMap(readRefusal(answer), ({ errorCode = "" }) =>
    Effect.fail(noRoute(PLAIN_CODE.test(errorCode) ? errorCode : "the service refuses the request"))
  )

export const make = Effect.fnUntraced(function* ({ apiKey, apiUrl = "https://api.relay.link", isOffered }: Options) {
  const chains = yield* Chains
  const idempotency = yield* Idempotency
  const listed = ListedBridges.make(NAME)
  const promises = yield* RelayPromises.make(NAME)
  const headers = apiKey === undefined ? {} : { "x-api-key": Redacted.value(apiKey) }
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl: apiUrl,
    ...(apiKey === undefined ? { budget: BUDGET } : { headers })
  })
  // Anybody may ask for quotes. Apart from them, so that a flood of quotes, or quotes that fail, delay no delivery.
  const statuses = yield* Provider.make({ name: STATUS_NAME, baseUrl: apiUrl, headers })

  const route = Effect.fn("Relay.route")(function* (
    asked: BridgeRequest
  ): Effect.fn.Return<BridgeRoute, NoRoute | RoutingUnavailable> {
    const [source, destination] = yield* Effect.all([
      chains.get(asked.sourceChainId),
      chains.get(asked.destChainId)
    ]).pipe(Effect.mapError(({ message }) => noRoute(message)))
    // A delivery of native currency leaves no log, so it could not be proved.
    if (isNative(asked.tokenOut)) return yield* noRoute("deliveries of native currency cannot be proved")
    if (asked.amountIn <= 0n) return yield* noRoute("the amount is zero")
    const allowed = yield* Effect.mapError(listed(source), ({ message }) => fromProvider({ detail: message }))
    if (allowed.length === 0) return yield* noRoute(`no depository is listed on ${source.chain.name}`)
    const request = { ...asked, tokenOut: Chain.erc20(destination.chain, asked.tokenOut) }
    const { amountOut, deposit, estimatedSeconds, target } = yield* provider
      .ask(
        HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/quote/v2"), RelayQuote.bodyOf(request)),
        Effect.fnUntraced(function* (reply) {
          if (reply.status >= 400) return yield* refusalOf(reply)
          const accepted = RelayQuote.accept(request, yield* readQuote(reply), allowed)
          return Result.isSuccess(accepted)
            ? accepted.success
            : yield* Objection.refuse(provider, Objection.inAnswer(accepted.failure))
        })
      )
      .pipe(
        Subject.of(Subject.unlisted([source.chain, asked.tokenIn], [destination.chain, asked.tokenOut])),
        toItsEnd,
        Effect.catchTag("ProviderUnavailable", (error) => Effect.fail(fromProvider(error)))
      )
    yield* promises.check(source.chain, destination.chain, deposit, amountOut)
    return {
      provider: NAME,
      target,
      calldata: RelayDeposit.encode(deposit),
      amountOut,
      minAmountOut: deposit.minAmountOut,
      gas: DEPOSIT_GAS,
      passing: 0,
      estimatedSeconds
    }
  })

  const decode: Bridge["Service"]["decode"] = (_sourceChainId, _target, calldata) =>
    Effect.mapError(Effect.fromOption(RelayDeposit.decode(calldata)), () =>
      noRoute("the calldata is not a deposit with its terms")
    )

  const bridge: Bridge["Service"] = {
    route,
    prepare: (request) => Effect.succeed((amountIn) => route({ ...request, amountIn })),
    decode,
    delivery: RelayDelivery.make({
      chains,
      provider: statuses,
      prove: ProvedArrival.make(idempotency),
      leastRefund: promises.leastRefund
    })
  }
  const named: NamedBridge = {
    name: NAME,
    bridge,
    isOffered,
    reads: (calldata) => calldata.slice(0, 10).toLowerCase() === RelayDeposit.SELECTOR
  }
  return named
})
