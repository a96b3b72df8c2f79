/**
 * Price of a token on Uniswap v3 by a round trip of a fixed value: buy the token, then sell the bought amount, each over the
 * best pool. It works for any price and any decimals, and detects pools that have no sound price:
 *
 * - in a thin pool, price impact makes the trip end with much less than it began;
 * - if one of several pools was manipulated, the trip ends with more than it began.
 *
 * Both quotes run on the same state, so the second does not undo the price impact of the first. A deep pool whose price is
 * wrong for a whole block goes undetected. That is acceptable, because these prices are used for the network fee and the
 * portfolio, and never for a minimum output.
 */
import { Array, Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"

const QUOTER_V2 = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 ticksCrossed, uint256 gasEstimate)"
])

/** Every fee tier of Uniswap v3, in hundredths of a basis point. */
const FEES = [100, 500, 3_000, 10_000] as const

/** Maximum number of quotes in one call. A quote executes the swap and reverts it, and public nodes limit the gas of a call. */
const QUOTES_PER_CALL = 32

/** A token that pays for others, and its amount at the start of the trip. */
export interface Money {
  readonly token: Address.Address
  readonly amount: bigint
}

/** Amount of the token in the middle of the trip, and amount at its end in the first money's smallest unit. */
export interface Trip {
  readonly bought: bigint
  readonly returned: bigint
}

interface Swap {
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
}

/**
 * Makes the trip for each token, with the money of the best quote each way. Amounts of the second and later monies have the
 * value `worth` of the first. A token without a pool has no trip. Results are in the order of the tokens.
 */
export const travel = Effect.fn("RoundTrip.travel")(function* (
  client: ChainClient,
  quoter: Address.Address,
  tokens: ReadonlyArray<Address.Address>,
  monies: ReadonlyArray<Money & { readonly worth: bigint }>
) {
  const buys = yield* bestQuotes(
    client,
    quoter,
    tokens.map((tokenOut) => monies.map(({ amount, token }) => ({ tokenIn: token, tokenOut, amountIn: amount })))
  )
  const bought = buys.map((quotes) => max(quotes))
  const sales = yield* bestQuotes(
    client,
    quoter,
    Array.zip(tokens, bought).map(([tokenIn, amountIn]) =>
      amountIn === 0n ? [] : monies.map(({ token }) => ({ tokenIn, tokenOut: token, amountIn }))
    )
  )
  return Array.zip(bought, sales).map(([amount, quotes]): Option.Option<Trip> => {
    const returned = max(Array.zip(quotes, monies).map(([out, money]) => (out * money.worth) / money.amount))
    return returned === 0n ? Option.none() : Option.some({ bought: amount, returned })
  })
})

/** Output of the best pool for each swap of each group. 0 if no pool has a quote. */
const bestQuotes = Effect.fnUntraced(function* (
  client: ChainClient,
  quoter: Address.Address,
  groups: ReadonlyArray<ReadonlyArray<Swap>>
) {
  const reads = groups.flat().flatMap(({ amountIn, tokenIn, tokenOut }) =>
    FEES.map((fee) => ({
      to: quoter,
      data: encodeFunctionData({
        abi: QUOTER_V2,
        functionName: "quoteExactInputSingle",
        args: [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }]
      })
    }))
  )
  const answers = yield* Multicall3.read(client, reads, { batch: QUOTES_PER_CALL })
  const best = Array.chunksOf(answers.map(amountOut), FEES.length).map(max)
  const [, byGroup] = Array.mapAccum(groups, 0, (start, group) => {
    const end = start + group.length
    return [end, best.slice(start, end)]
  })
  return byGroup
})

const decodeQuote = Option.liftThrowable(
  (data: Hex) => decodeFunctionResult({ abi: QUOTER_V2, functionName: "quoteExactInputSingle", data })[0]
)

/** The quoter reverts if a pool does not exist or is too thin for the amount. */
const amountOut = (answer: Multicall3.Answer): bigint => Option.getOrElse(Option.flatMap(answer, decodeQuote), () => 0n)

const max = (amounts: ReadonlyArray<bigint>): bigint =>
  amounts.reduce((best, amount) => (amount > best ? amount : best), 0n)
