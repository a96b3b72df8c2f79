/**
 * Routes of KyberSwap's aggregator. `GET /{chain}/api/v1/routes` finds a route, and `POST /{chain}/api/v1/route/build` makes its call of
 * MetaAggregationRouterV2. So each route takes two requests. Market makers are left out: their prices expire before an order settles.
 */
import { Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { decodeAbiParameters, parseAbi, parseAbiParameters } from "viem"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Hex } from "../../domain/Hex.ts"
import { NoRoute, type SwapRequest } from "../../ports/orchestrator/SwapVenue.ts"
import * as Answer from "../providers/Answer.ts"
import { dishonest, unsuited } from "../providers/Objection.ts"
import * as Provider from "../providers/Provider.ts"
import * as ExactCalldata from "./ExactCalldata.ts"
import * as HttpVenue from "./HttpVenue.ts"

export const NAME = "kyberswap"

const BASE_URL = "https://aggregator-api.kyberswap.com"

/** KyberSwap's names of chains. */
const SLUGS: Readonly<Record<ChainId, string>> = {
  1: "ethereum",
  10: "optimism",
  56: "bsc",
  137: "polygon",
  8453: "base",
  42161: "arbitrum"
}

const ROUTER = Address.of("0x6131B5fae19EA4f9D964eAc0408E4408b66337b5")
const ROUTERS = { 1: ROUTER, 10: ROUTER, 56: ROUTER, 137: ROUTER, 8453: ROUTER, 42161: ROUTER }

/** Name by which operators see the requests that make calls. */
const BUILD_NAME = "kyberswap-build"

/** Half of the three requests per second that KyberSwap allows without an agreement, since each route takes two. */
const BUDGET = { requests: 15, per: "10 seconds" } as const

/** Largest tolerance that the API takes, in basis points. A smaller one than asked for is no loss. */
const MAX_SLIPPAGE_BPS = 2_000

export interface Options extends HttpVenue.Options {
  /** Name of the operator, by which KyberSwap sets limits. Not a secret. */
  readonly clientId?: string | undefined
}

declare global {
  interface JSON {
    /** Not in the library types yet. */
    readonly rawJSON: (text: string) => unknown
  }
}

/** Keeps numbers as they are written, because the API checks what it returned, and some have more digits than a double. */
const asWritten: Answer.JsonReviver = (_key, value, context) =>
  typeof value === "number" && context?.source !== undefined ? JSON.rawJSON(context.source) : value

const RouteSummary = Schema.Struct({
  tokenIn: Address.Address,
  tokenOut: Address.Address,
  amountIn: Uint256
})

const Routes = Schema.Struct({ data: Schema.Struct({ routeSummary: Schema.Unknown, routerAddress: Address.Address }) })

const Built = Schema.Struct({
  data: Schema.Struct({
    amountIn: Uint256,
    amountOut: Uint256,
    gas: Uint256,
    data: Hex,
    routerAddress: Address.Address,
    transactionValue: Schema.optionalKey(Uint256)
  })
})
export type Built = (typeof Built.Type)["data"]

const readRoutes = Answer.json(Routes, asWritten)
const decodeSummary = Schema.decodeUnknownOption(RouteSummary)
const readBuilt = Answer.json(Built)
const readCode = Answer.json(Schema.Struct({ code: Schema.Int }))

/** True for a refusal of the tokens or the amount, which anybody can choose. Errors of the service have another status. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500

/**
 * Executor, spender and the executor's data. Then the terms: tokens, receivers of the input with their amounts, receivers of fees with
 * theirs, recipient, amount, least output, flags and permit. Then data for analysis. The simple mode has the same in another order.
 */
const abi = parseAbi([
  "function swap((address,address,bytes,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes))",
  "function swapSimpleMode(address,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes,bytes)"
])

/** The executor's data of a swap in simple mode: first pools, the amounts that the router sends to them, their calls, deadline, fees. */
const SIMPLE = parseAbiParameters("(address[],uint256[],bytes[],uint256,bytes)")

const sumOf = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

/** The amount that a swap in simple mode takes from the sender. None for data of another form. */
const takenInSimpleMode = Option.liftThrowable((data: Hex): bigint => {
  const [[pools, amounts, calls]] = decodeAbiParameters(SIMPLE, data)
  if (pools.length !== amounts.length || pools.length !== calls.length) throw new Error("lists of other lengths")
  return sumOf(amounts)
})

type Call = NonNullable<ReturnType<typeof ExactCalldata.decode<typeof abi>>>

/** The terms of a call, and the amount that it takes. In simple mode, the executor's data says which. */
const readingOf = (call: Call) => {
  if (call.functionName === "swap") return { terms: call.args[0][3], taken: Option.some(sumOf(call.args[0][3][3])) }
  const [, terms, data] = call.args
  return { terms, taken: takenInSimpleMode(data) }
}

/** `_PARTIAL_FILL`, `_REQUIRES_EXTRA_ETH`, and the two flags that burn tokens of somebody for gas. */
const REFUSED_FLAGS = 0x01n | 0x02n | 0x08n | 0x10n

/** Reads what the built call does. */
export const claimOf = (request: SwapRequest, built: Built): HttpVenue.Claimed => {
  const call = ExactCalldata.decode(abi, built.data)
  if (call === undefined) return Result.fail(unsuited("returned calldata that is not a call of swap"))
  const { taken, terms } = readingOf(call)
  const [tokenIn, tokenOut, , , feeReceivers, feeAmounts, recipient, amountIn, minAmountOut, flags, permit] = terms
  if (feeReceivers.length + feeAmounts.length > 0) return Result.fail(unsuited("takes a fee"))
  if (permit !== "0x") return Result.fail(unsuited("uses a permit"))
  if ((flags & REFUSED_FLAGS) !== 0n) return Result.fail(unsuited("sets flags that change the terms of the swap"))
  if (Option.isNone(taken)) return Result.fail(unsuited("returned executor's data that cannot be read"))
  if (taken.value !== amountIn) return Result.fail(dishonest("takes another amount"))
  return Result.succeed({
    target: built.routerAddress,
    calldata: built.data,
    value: built.transactionValue ?? 0n,
    spender: built.routerAddress,
    tokenIn: Address.of(tokenIn),
    tokenOut: Address.of(tokenOut),
    amountIn,
    recipient: Address.of(recipient),
    amountOut: built.amountOut,
    minAmountOut,
    gas: built.gas,
    repeated: [["sold amount", built.amountIn, request.amountIn]]
  })
}

/** Answers with another code than 0 refuse the request. */
const refusedBy = Effect.fnUntraced(function* (answer: Answer.Answer) {
  const { code } = yield* readCode(answer)
  if (code === 0 && answer.status === 200) return
  if (isRefusal(answer.status)) return yield* new NoRoute({ detail: `KyberSwap: code ${code}` })
  return yield* Answer.failed(NAME, `HTTP ${answer.status} with code ${code}`)
})

const queryOf = (slug: string, request: SwapRequest) =>
  HttpClientRequest.get(`/${slug}/api/v1/routes`).pipe(
    HttpClientRequest.setUrlParams({
      tokenIn: request.tokenIn,
      tokenOut: request.tokenOut,
      amountIn: request.amountIn.toString(),
      gasInclude: "true",
      excludeRFQSources: "true"
    })
  )

/** `routeSummary` is written as it was received. */
const buildOf = (slug: string, { deadline, recipient, sender, slippageBps }: SwapRequest, routeSummary: unknown) =>
  HttpClientRequest.post(`/${slug}/api/v1/route/build`).pipe(
    HttpClientRequest.bodyText(
      JSON.stringify({
        routeSummary,
        sender,
        recipient,
        slippageTolerance: Math.min(slippageBps, MAX_SLIPPAGE_BPS),
        deadline: Number(deadline)
      }),
      "application/json"
    )
  )

export const make = Effect.fnUntraced(function* ({ baseUrl = BASE_URL, clientId, deadline }: Options = {}) {
  const options = {
    baseUrl,
    headers: clientId === undefined ? {} : { "x-client-id": clientId },
    budget: BUDGET,
    ...(deadline === undefined ? {} : { deadline })
  }
  const provider = yield* Provider.make({ name: NAME, ...options })
  // Calls that contradict their requests must not be forgotten for the routes that are found between them.
  const builder = yield* Provider.make({ name: BUILD_NAME, ...options })

  /** A route for exactly the request, as the API's own text. */
  const find = (slug: string, request: SwapRequest, routers: ReadonlyArray<Address.Address>) =>
    provider.ask(
      queryOf(slug, request),
      Effect.fnUntraced(function* (answer) {
        yield* refusedBy(answer)
        const { routerAddress, routeSummary } = (yield* readRoutes(answer)).data
        const summary = decodeSummary(routeSummary)
        if (
          summary._tag === "None" ||
          summary.value.tokenIn !== request.tokenIn ||
          summary.value.tokenOut !== request.tokenOut ||
          summary.value.amountIn !== request.amountIn ||
          !routers.includes(routerAddress)
        ) {
          return yield* provider.unusable("returned a route for another request")
        }
        return routeSummary
      })
    )

  return yield* HttpVenue.make({
    provider,
    routers: ROUTERS,
    ask: Effect.fnUntraced(function* (request, routers, accept) {
      const slug = SLUGS[request.chainId]
      if (slug === undefined) return yield* new NoRoute({ detail: `KyberSwap does not serve chain ${request.chainId}` })
      // A route that cannot be built would spend a request for nothing.
      yield* builder.ready
      const summary = yield* find(slug, request, routers)
      return yield* builder.ask(
        buildOf(slug, request, summary),
        Effect.fnUntraced(function* (answer) {
          yield* refusedBy(answer)
          const { data } = yield* readBuilt(answer)
          return yield* accept(claimOf(request, data))
        })
      )
    })
  })
})
