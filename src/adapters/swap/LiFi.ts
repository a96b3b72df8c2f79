/**
 * Routes of LI.FI on one chain, `GET /v1/quote`. LI.FI's diamond is approved and called. The calls that it makes to exchanges are limited
 * to those that LI.FI lists, and are not read.
 */
import { Effect, Redacted, Result, Schema, SchemaTransformation } from "effect"
import { HttpClientRequest } from "effect/http"
import { parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { Hex } from "../../domain/Hex.ts"
import { isNative, NATIVE } from "../../domain/Token.ts"
import { NoRoute, type SwapRequest } from "../../ports/orchestrator/SwapVenue.ts"
import * as Answer from "../providers/Answer.ts"
import { unsuited } from "../providers/Objection.ts"
import * as Provider from "../providers/Provider.ts"
import type { ProviderUnavailable } from "../providers/ProviderUnavailable.ts"
import * as ExactCalldata from "./ExactCalldata.ts"
import * as HttpVenue from "./HttpVenue.ts"

export const NAME = "lifi"

const BASE_URL = "https://li.quest"

const DIAMOND = Address.of("0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE")
const ROUTERS = { 1: DIAMOND, 10: DIAMOND, 56: DIAMOND, 137: DIAMOND, 8453: DIAMOND, 42161: DIAMOND }

/** Parts of LI.FI's limits of quotes, 75 without a key and 100 with one. Its bridge has the others. */
const BUDGET = { requests: 45, per: "2 hours" } as const
const BUDGET_WITH_KEY = { requests: 60, per: "1 minute" } as const

export interface Options extends HttpVenue.Options {
  readonly apiKey?: Redacted.Redacted | undefined
  /** Name of the operator's app at LI.FI. */
  readonly integrator?: string | undefined
}

/** A number as `0x` and hex digits. */
const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/)).pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({
      decode: (text) => BigInt(text),
      encode: (value) => `0x${value.toString(16)}`
    })
  )
)

export const Quote = Schema.Struct({
  estimate: Schema.Struct({
    fromAmount: Uint256,
    toAmount: Uint256,
    toAmountMin: Uint256,
    approvalAddress: Address.Address
  }),
  transactionRequest: Schema.Struct({
    chainId: Schema.Int,
    from: Address.Address,
    to: Address.Address,
    data: Hex,
    value: Quantity,
    gasLimit: Schema.optionalKey(Quantity)
  })
})

const readQuote = Answer.json(Quote)
const readRefusal = Answer.json(Schema.Struct({ code: Schema.Int }))

/** Codes of errors about the service: limited, failed, timed out, unauthorized, no node. All others are about the request. */
const OF_SERVICE = new Set([1005, 1006, 1009, 1010, 1012])

/** Reads an error, which is no route unless it is about the service itself. */
export const refusalOf = (answer: Answer.Answer): Effect.Effect<never, NoRoute | ProviderUnavailable> =>
  Effect.flatMap(readRefusal(answer), ({ code }): Effect.Effect<never, NoRoute | ProviderUnavailable> =>
    OF_SERVICE.has(code)
      ? Effect.fail(Answer.failed(answer.provider, `HTTP ${answer.status} with code ${code}`))
      : Effect.fail(new NoRoute({ detail: `LI.FI: code ${code}` }))
  )

/** Id, names of the app and its referrer, recipient, least output, and each step: target, spender, tokens, amount, call, deposit. */
const abi = parseAbi([
  "function swapTokensSingleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensSingleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensMultipleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
  "function swapTokensMultipleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
  "function swapTokensGeneric(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])"
])

type Call = NonNullable<ReturnType<typeof ExactCalldata.decode<typeof abi>>>
type SingleCall = Extract<Call, { readonly functionName: `${string}Single${string}` }>
type Step = SingleCall["args"][5]

const isSingle = (call: Call): call is SingleCall =>
  call.functionName === "swapTokensSingleV3ERC20ToERC20" || call.functionName === "swapTokensSingleV3ERC20ToNative"

const stepsOf = (call: Call): ReadonlyArray<Step> => (isSingle(call) ? [call.args[5]] : call.args[5])

/** The opinion of a function's name on native currency. The generic one has none. */
const paysNative = ({ functionName }: Call): boolean | undefined =>
  functionName === "swapTokensGeneric" ? undefined : functionName.endsWith("ToNative")

const ASSUMED_GAS = 300_000n

/** Reads what a quote's calldata does. */
export const claimOf = (
  request: SwapRequest,
  { estimate, transactionRequest: { chainId, data, from, gasLimit, to, value } }: typeof Quote.Type
): HttpVenue.Claimed => {
  const call = ExactCalldata.decode(abi, data)
  const [first, ...others] = call === undefined ? [] : stepsOf(call)
  if (call === undefined || first === undefined)
    return Result.fail(unsuited("returned calldata that is not a swap on one chain"))
  // A later deposit would spend what the owner allowed the diamond before.
  if (others.some((step) => step[6])) return Result.fail(unsuited("takes more than one deposit"))
  // A single swap always takes a deposit.
  if (!first[6] && !isSingle(call)) return Result.fail(unsuited("takes no deposit"))
  const [, , , recipient, minAmountOut] = call.args
  const received = Address.of((others.at(-1) ?? first)[3])
  // The function and the token must agree on native currency.
  if ((paysNative(call) ?? Address.isZero(received)) !== Address.isZero(received))
    return Result.fail(unsuited("pays in another currency than its function says"))
  return Result.succeed({
    target: to,
    calldata: data,
    value,
    spender: estimate.approvalAddress,
    tokenIn: Address.of(first[2]),
    tokenOut: Address.isZero(received) ? NATIVE : received,
    amountIn: first[4],
    recipient: Address.of(recipient),
    amountOut: estimate.toAmount,
    minAmountOut,
    gas: gasLimit ?? ASSUMED_GAS,
    repeated: [
      ["chain", chainId, request.chainId],
      ["sender", from, request.sender],
      ["sold amount", estimate.fromAmount, request.amountIn],
      ["minimum", minAmountOut >= estimate.toAmountMin, true]
    ]
  })
}

const queryOf = (request: SwapRequest, integrator: string | undefined) =>
  HttpClientRequest.get("/v1/quote").pipe(
    HttpClientRequest.setUrlParams({
      fromChain: request.chainId,
      toChain: request.chainId,
      fromToken: request.tokenIn,
      toToken: isNative(request.tokenOut) ? Address.zero : request.tokenOut,
      fromAmount: request.amountIn.toString(),
      fromAddress: request.sender,
      toAddress: request.recipient,
      slippage: request.slippageBps / 10_000,
      // The account has no allowance yet, so LI.FI's own simulation would fail.
      skipSimulation: "true",
      ...(integrator === undefined ? {} : { integrator })
    })
  )

const isRefusal = (status: number): boolean => status >= 400 && status < 500

export const make = Effect.fnUntraced(function* ({ apiKey, baseUrl = BASE_URL, deadline, integrator }: Options = {}) {
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl,
    headers: apiKey === undefined ? {} : { "x-lifi-api-key": Redacted.value(apiKey) },
    budget: apiKey === undefined ? BUDGET : BUDGET_WITH_KEY,
    ...(deadline === undefined ? {} : { deadline })
  })
  return yield* HttpVenue.make({
    provider,
    routers: ROUTERS,
    ask: (request, _routers, accept) =>
      provider.ask(
        queryOf(request, integrator),
        Effect.fnUntraced(function* (answer) {
          if (isRefusal(answer.status)) return yield* refusalOf(answer)
          if (answer.status !== 200) return yield* Answer.unexpected(answer)
          return yield* accept(claimOf(request, yield* readQuote(answer)))
        })
      )
  })
})
