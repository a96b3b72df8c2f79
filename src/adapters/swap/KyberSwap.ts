/**
 * Routes of KyberSwap's aggregator. `GET /{chain}/api/v1/routes` finds a route, and `POST /{chain}/api/v1/route/build` makes its call of
 * MetaAggregationRouterV2. So each route takes two requests. Market makers are left out: their prices expire before an order settles.
 */
import { Effect, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Hex } from "../../domain/Hex.ts"
import { NoRoute, type SwapRequest } from "../../ports/orchestrator/SwapVenue.ts"
import * as Answer from "../providers/Answer.ts"
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

/** KyberSwap allows three requests per second without an agreement. */
const BUDGET = { requests: 30, per: "10 seconds" } as const

/** Largest tolerance that the API takes, in basis points. A smaller one than asked for is no loss. */
const MAX_SLIPPAGE_BPS = 2_000

export interface Options extends HttpVenue.Options {
  /** Name of the operator, by which KyberSwap sets limits. Not a secret. */
  readonly clientId?: string | undefined
}

/** Keeps numbers as they are written, because the API checks what it returned, and some have more digits than a double. */
const asWritten: Answer.JsonReviver = (_key, value, context) =>
  typeof value === "number" && context?.source !== undefined ? rawJson(context.source) : value

/** `JSON.rawJSON`, which the library types do not declare yet. */
const rawJson = (source: string): unknown => (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(source)

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

/** Codes about the tokens and the amount, 4000 to 4227, and about filtered liquidity. Others are failures of the service. */
const isRefusal = (code: number): boolean => (code >= 4_000 && code <= 4_227) || code === 40_010 || code === 40_011

/**
 * Executor, spender and the executor's data. Then the terms: tokens, receivers of the input with their amounts, receivers of fees with
 * theirs, recipient, amount, least output, flags and permit. Then data for analysis.
 */
const abi = parseAbi([
  "function swap((address,address,bytes,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes))"
])

/** `_PARTIAL_FILL`, `_REQUIRES_EXTRA_ETH`, and the two flags that burn tokens of somebody for gas. */
const REFUSED_FLAGS = 0x01n | 0x02n | 0x08n | 0x10n

/** Reads what the built call does. */
export const claimOf = (request: SwapRequest, built: Built): HttpVenue.Claimed => {
  const call = ExactCalldata.decode(abi, built.data)
  if (call === undefined) return Result.fail("returned calldata that is not a call of swap")
  const [, , , terms] = call.args[0]
  const [tokenIn, tokenOut, , taken, feeReceivers, feeAmounts, recipient, amountIn, minAmountOut, flags, permit] = terms
  if (feeReceivers.length + feeAmounts.length > 0) return Result.fail("takes a fee")
  if (permit !== "0x") return Result.fail("uses a permit")
  if ((flags & REFUSED_FLAGS) !== 0n) return Result.fail("sets flags that change the terms of the swap")
  if (taken.reduce((sum, amount) => sum + amount, 0n) !== amountIn) return Result.fail("takes another amount")
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
  if (isRefusal(code)) return yield* new NoRoute({ detail: `KyberSwap: code ${code}` })
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
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl,
    headers: clientId === undefined ? {} : { "x-client-id": clientId },
    budget: BUDGET,
    ...(deadline === undefined ? {} : { deadline })
  })

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
      const summary = yield* find(slug, request, routers)
      return yield* provider.ask(
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
