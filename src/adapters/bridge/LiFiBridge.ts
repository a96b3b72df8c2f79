/**
 * Bridge over LI.FI, which chooses among bridges. Only its direct deposits into Across are used, because nothing else of its calls can be
 * read and proved: recipient, refund account, token and amount are in the call, and the pool's own events prove the delivery.
 */
import { Effect, Option, Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import { isNative } from "../../domain/Token.ts"
import type { Bridge, BridgeRequest, BridgeRoute } from "../../ports/orchestrator/Bridge.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import { Chains, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
import { toItsEnd } from "../../runtime/Within.ts"
import * as Answer from "../providers/Answer.ts"
import * as Objection from "../providers/Objection.ts"
import * as Provider from "../providers/Provider.ts"
import * as Subject from "../providers/Subject.ts"
import { Quote, refusalOf } from "../swap/LiFi.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import type { NamedBridge } from "./BestBridge.ts"
import * as LiFiDeposit from "./LiFiDeposit.ts"
import * as ListedBridges from "./ListedBridges.ts"

/** Name of the bridge in settings, quotes and logs, and of its `targets` in the chains file. */
export const NAME = "lifi"

export interface Options {
  /** Reads and follows the deposits. */
  readonly across: Bridge["Service"]
  readonly isOffered: boolean
  /** Default: `https://li.quest`. */
  readonly apiUrl?: string | undefined
  readonly apiKey?: Redacted.Redacted | undefined
  /** Name of the operator's app at LI.FI. */
  readonly integrator?: string | undefined
}

/** Parts of LI.FI's limits of quotes, without a key and with one. Its swaps on one chain have the others. */
const BUDGET = { requests: 30, per: "2 hours" } as const
const BUDGET_WITH_KEY = { requests: 40, per: "1 minute" } as const

/** Gas of the diamond's checks and of the deposit. */
const DEPOSIT_GAS = 180_000n

/** Seconds after the order's deadline in which the deposit must still be fillable. */
const MIN_FILL_SECONDS = 600n

/** Expected time of a delivery by Across. */
const ESTIMATED_SECONDS = 30

const readQuote = Answer.json(Quote)

const { dishonest, unsuited } = Objection

const noRoute = (detail: string) => new NoRoute({ detail: `${NAME}: ${detail}` })

const unavailable = (detail: string) => new RoutingUnavailable({ provider: NAME, detail })

/** The deposit of an answer, if the answer is what was asked for. Fails with the first objection. */
export const accept = (
  request: BridgeRequest,
  { estimate, transactionRequest }: typeof Quote.Type,
  allowed: ReadonlyArray<Address.Address>
): Result.Result<AcrossDeposit.AcrossDeposit, Objection.Objection> => {
  const { chainId, data, from, to, value } = transactionRequest
  const deposit = Option.getOrUndefined(LiFiDeposit.decode(data))
  if (deposit === undefined) return Result.fail(unsuited("a call other than a direct deposit into Across"))
  if (!allowed.includes(to)) return Result.fail(dishonest(`the target ${to}, which is not listed`))
  if (estimate.approvalAddress !== to) return Result.fail(dishonest("another spender"))
  if (chainId !== request.sourceChainId) return Result.fail(dishonest("a transaction on another chain"))
  if (from !== request.depositor) return Result.fail(dishonest("a transaction of another account"))
  if (estimate.fromAmount !== request.amountIn) return Result.fail(dishonest("another input amount"))
  const isWanted =
    deposit.depositor === request.depositor &&
    deposit.recipient === request.recipient &&
    deposit.inputToken === request.tokenIn &&
    deposit.outputToken === request.tokenOut &&
    deposit.inputAmount === request.amountIn &&
    deposit.destinationChainId === BigInt(request.destChainId)
  if (!isWanted) return Result.fail(dishonest("a deposit of other terms"))
  if (deposit.outputAmount < estimate.toAmountMin) return Result.fail(dishonest("a deposit below its minimum"))
  if (value !== 0n) return Result.fail(unsuited("a transaction with native currency"))
  return BigInt(deposit.fillDeadline) < request.deadline + MIN_FILL_SECONDS
    ? Result.fail(unsuited("too little time to be filled"))
    : Result.succeed(deposit)
}

const queryOf = (request: BridgeRequest, integrator: string | undefined) =>
  HttpClientRequest.get("/v1/quote").pipe(
    HttpClientRequest.setUrlParams({
      fromChain: request.sourceChainId,
      toChain: request.destChainId,
      fromToken: request.tokenIn,
      toToken: request.tokenOut,
      fromAmount: request.amountIn.toString(),
      fromAddress: request.depositor,
      toAddress: request.recipient,
      slippage: request.slippageBps / 10_000,
      allowBridges: "across",
      skipSimulation: "true",
      ...(integrator === undefined ? {} : { integrator })
    })
  )

/** The pool of the chain that logged the deposit. The diamond chose it, so the order does not name it. Default: the present pool. */
const poolOf = (
  chain: Chain.Chain,
  deposit: AcrossDeposit.AcrossDeposit,
  logs: ReadonlyArray<Log>
): Address.Address | undefined => {
  const pools = Chain.spokePools(chain)
  const depositedIn = pools.find((pool) =>
    Option.isSome(
      AcrossDeposit.findDeposited(logs, pool, chain.id, (inputAmount) =>
        AcrossCall.depositMade({ deposit }, inputAmount)
      )
    )
  )
  return depositedIn ?? pools[0]
}

/** Reads and follows deposits as Across's own: each call stands for the direct deposit that it makes. */
const reading = (
  chains: Chains["Service"],
  across: Bridge["Service"]
): Pick<Bridge["Service"], "decode" | "delivery"> => {
  /** The same deposit, made directly. Without logs the order is new, and has the present pool alone. */
  const direct = (sourceChainId: number, calldata: `0x${string}`, logs?: ReadonlyArray<Log>) =>
    Effect.gen(function* () {
      const { chain } = yield* chains.get(sourceChainId)
      const deposit = Option.getOrUndefined(LiFiDeposit.decode(calldata))
      if (deposit === undefined) return undefined
      const target = logs === undefined ? chain.spokePool : poolOf(chain, deposit, logs)
      return target === undefined ? undefined : { target, calldata: AcrossDeposit.encode(deposit) }
    }).pipe(Effect.catchTag("UnsupportedChain", () => Effect.undefined))

  return {
    decode: (sourceChainId, _target, calldata) =>
      Effect.flatMap(direct(sourceChainId, calldata), (call) =>
        call === undefined
          ? Effect.fail(noRoute("the calldata is not a deposit into Across"))
          : across.decode(sourceChainId, call.target, call.calldata)
      ),
    delivery: (looked) =>
      Effect.flatMap(direct(looked.sourceChainId, looked.order.swapCalldata, looked.receipt.logs), (call) =>
        call === undefined
          ? Effect.fail(
              new ChainUnavailable({
                chainId: looked.sourceChainId,
                method: "LiFiBridge.delivery",
                detail: "the order's call is not a deposit into a pool of Across that the chains file names"
              })
            )
          : across.delivery({
              ...looked,
              order: { ...looked.order, swapTarget: call.target, swapCalldata: call.calldata }
            })
      )
  }
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const { across, apiKey, apiUrl = "https://li.quest", integrator, isOffered } = options
  const chains = yield* Chains
  const listed = ListedBridges.make(NAME)
  const provider = yield* Provider.make({
    name: "lifi-bridge",
    baseUrl: apiUrl,
    headers: apiKey === undefined ? {} : { "x-lifi-api-key": Redacted.value(apiKey) },
    budget: apiKey === undefined ? BUDGET : BUDGET_WITH_KEY
  })

  /** The route that the service offers. A contradiction of the request is a failure of the service. */
  const ask = (request: BridgeRequest, allowed: ReadonlyArray<Address.Address>) =>
    provider
      .ask(
        queryOf(request, integrator),
        Effect.fnUntraced(function* (answer) {
          if (answer.status >= 400) return yield* refusalOf(answer)
          const quote = yield* readQuote(answer)
          const accepted = accept(request, quote, allowed)
          if (Result.isFailure(accepted)) return yield* Objection.refuse(provider, Objection.inAnswer(accepted.failure))
          return { call: quote.transactionRequest, deposit: accepted.success }
        })
      )
      .pipe(
        toItsEnd,
        Effect.catchTag("ProviderUnavailable", ({ detail }) => Effect.fail(unavailable(detail)))
      )

  /** The route of a request, whose tokens are ERC-20s. */
  const route = Effect.fn("LiFiBridge.route")(function* (
    request: BridgeRequest
  ): Effect.fn.Return<BridgeRoute, NoRoute | RoutingUnavailable> {
    const [source, destination] = yield* Effect.all([
      chains.get(request.sourceChainId),
      chains.get(request.destChainId)
    ]).pipe(Effect.mapError(({ message }) => noRoute(message)))
    // Across delivers the wrapped token to plain accounts as native currency, which only its own route looks at.
    if (isNative(request.tokenOut) || request.tokenOut === destination.chain.wrappedNative) {
      return yield* noRoute("native currency is not delivered")
    }
    if (request.amountIn <= 0n) return yield* noRoute("the amount is zero")
    const allowed = yield* Effect.mapError(listed(source), ({ message }) => unavailable(message))
    if (allowed.length === 0) return yield* noRoute(`no contract is listed on ${source.chain.name}`)
    const { call, deposit } = yield* ask(request, allowed).pipe(
      Subject.of(Subject.unlisted([source.chain, request.tokenIn], [destination.chain, request.tokenOut]))
    )
    const { outputAmount } = deposit
    return {
      provider: NAME,
      target: call.to,
      calldata: call.data,
      amountOut: outputAmount,
      minAmountOut: outputAmount,
      gas: DEPOSIT_GAS,
      passing: 2,
      estimatedSeconds: ESTIMATED_SECONDS
    }
  })

  const bridge: Bridge["Service"] = {
    route,
    prepare: (request) => Effect.succeed((amountIn) => route({ ...request, amountIn })),
    ...reading(chains, across)
  }
  const named: NamedBridge = {
    name: NAME,
    bridge,
    isOffered,
    reads: (calldata) => calldata.slice(0, 10).toLowerCase() === LiFiDeposit.SELECTOR
  }
  return named
})
