/**
 * Routes of 0x's Swap API v2 by its AllowanceHolder, `GET /swap/allowance-holder/quote`. The AllowanceHolder is approved and called, and
 * lends the amount of one token to 0x's Settler, which changes over time and has nothing else of the owner.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { decodeFunctionData, parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { Hex } from "../../domain/Hex.ts"
import { NoRoute, type SwapRequest } from "../../ports/orchestrator/SwapVenue.ts"
import * as Answer from "../providers/Answer.ts"
import { unsuited } from "../providers/Objection.ts"
import * as Provider from "../providers/Provider.ts"
import * as ExactCalldata from "./ExactCalldata.ts"
import * as HttpVenue from "./HttpVenue.ts"

export const NAME = "0x"

const BASE_URL = "https://api.0x.org"

const ALLOWANCE_HOLDER = Address.of("0x0000000000001fF3684f28c67538d4D072C22734")

const ROUTERS = {
  1: ALLOWANCE_HOLDER,
  10: ALLOWANCE_HOLDER,
  56: ALLOWANCE_HOLDER,
  137: ALLOWANCE_HOLDER,
  8453: ALLOWANCE_HOLDER,
  42161: ALLOWANCE_HOLDER
}

/** Requests per second of 0x's plan without a contract. */
const BUDGET = { requests: 5, per: "1 second" } as const

export interface Options extends HttpVenue.Options {
  readonly apiKey: Redacted.Redacted
}

const Offer = Schema.Struct({
  liquidityAvailable: Schema.Literal(true),
  sellToken: Address.Address,
  buyToken: Address.Address,
  sellAmount: Uint256,
  buyAmount: Uint256,
  minBuyAmount: Uint256,
  allowanceTarget: Address.Address,
  transaction: Schema.Struct({
    to: Address.Address,
    data: Hex,
    value: Uint256,
    /** Null if 0x could not simulate the call. */
    gas: Schema.NullOr(Uint256)
  })
})

/** The API's answer about a pair and an amount. */
export const Quote = Schema.Union([Schema.Struct({ liquidityAvailable: Schema.Literal(false) }), Offer])

const readQuote = Answer.json(Quote)

/** The name of an error, which has no text of users. */
const Refusal = Schema.Struct({ name: Schema.String.check(Schema.isPattern(/^[A-Z_]{1,60}$/)) })

const readRefusal = Answer.json(Refusal)

/** Names of errors about the service or its key. All others are about the pair or the amount, which anybody can choose. */
const OF_SERVICE = new Set(["USER_NOT_AUTHORIZED"])

/** Operator, token, amount, target and the target's call. */
const holderAbi = parseAbi(["function exec(address,address,uint256,address,bytes)"])

/** Recipient, token and least amount. Then the actions, and a name for analysis. */
const settlerAbi = parseAbi(["function execute((address,address,uint256),bytes[],bytes32)"])

/** Terms of the Settler's call. Its actions are not read, so its bytes may have another encoding. */
const settlementOf = (data: Hex) => {
  try {
    return decodeFunctionData({ abi: settlerAbi, data }).args[0]
  } catch {
    return undefined
  }
}

/** Gas where 0x states none. */
const ASSUMED_GAS = 300_000n

/** Reads what an offer's calldata does. */
export const claimOf = (request: SwapRequest, offer: typeof Offer.Type): HttpVenue.Claimed => {
  const { data, gas, to, value } = offer.transaction
  const call = ExactCalldata.decode(holderAbi, data)
  if (call === undefined) return Result.fail(unsuited("returned calldata that is not a call of the AllowanceHolder"))
  const [operator, tokenIn, amountIn, settler, settling] = call.args
  const settlement = settlementOf(settling)
  if (settlement === undefined) return Result.fail(unsuited("returned a settlement that cannot be read"))
  const [recipient, tokenOut, minAmountOut] = settlement
  return Result.succeed({
    target: to,
    calldata: data,
    value,
    spender: offer.allowanceTarget,
    tokenIn: Address.of(tokenIn),
    tokenOut: Address.of(tokenOut),
    amountIn,
    recipient: Address.of(recipient),
    amountOut: offer.buyAmount,
    minAmountOut,
    gas: gas ?? ASSUMED_GAS,
    repeated: [
      // The operator may take the lent amount, so it must be the contract that is called.
      ["operator", Address.of(operator), Address.of(settler)],
      ["sold token", offer.sellToken, request.tokenIn],
      ["bought token", offer.buyToken, request.tokenOut],
      ["sold amount", offer.sellAmount, request.amountIn],
      ["minimum", minAmountOut >= offer.minBuyAmount, true]
    ]
  })
}

const queryOf = (request: SwapRequest) =>
  HttpClientRequest.get("/swap/allowance-holder/quote").pipe(
    HttpClientRequest.setUrlParams({
      chainId: request.chainId,
      sellToken: request.tokenIn,
      buyToken: request.tokenOut,
      sellAmount: request.amountIn.toString(),
      taker: request.sender,
      recipient: request.recipient,
      slippageBps: request.slippageBps
    })
  )

const isRefusal = (status: number): boolean => status === 400 || status === 404 || status === 422

export const make = Effect.fnUntraced(function* ({ apiKey, baseUrl = BASE_URL, deadline }: Options) {
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl,
    headers: { "0x-api-key": Redacted.value(apiKey), "0x-version": "v2" },
    budget: BUDGET,
    ...(deadline === undefined ? {} : { deadline })
  })
  return yield* HttpVenue.make({
    provider,
    routers: ROUTERS,
    ask: (request, _routers, accept) =>
      provider.ask(
        queryOf(request),
        Effect.fnUntraced(function* (answer) {
          if (isRefusal(answer.status)) {
            const { name } = yield* readRefusal(answer)
            if (OF_SERVICE.has(name)) return yield* Answer.failed(NAME, `HTTP ${answer.status} with ${name}`)
            return yield* new NoRoute({ detail: `0x: ${name}` })
          }
          if (answer.status !== 200) return yield* Answer.unexpected(answer)
          const quote = yield* readQuote(answer)
          if (!quote.liquidityAvailable) return yield* new NoRoute({ detail: "0x has no liquidity for the pair" })
          return yield* accept(claimOf(request, quote))
        })
      )
  })
})
