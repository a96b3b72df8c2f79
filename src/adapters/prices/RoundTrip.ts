/**
 * What a token sells for on Uniswap v3, found by a round trip of a fixed worth: buy the token for it, then sell what was
 * bought, each way over the best pool. It adapts to any price and any decimals, and it tells a price from an accident:
 *
 * - a thin pool loses much of the worth to price impact on the way, so the trip ends short;
 * - pools that disagree, since one of them was pushed, let the trip end with more than it began.
 *
 * Both quotes run on the same state, so the impact of the first is not undone by the second. A pool that is thick enough and
 * wrong for the whole of a block is believed: these prices feed the network fee and the portfolio, never a minimum output.
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

/** A quote executes the swap and rolls it back, which is dear: this many stay within what public nodes allow a call. */
const QUOTES_PER_CALL = 32

/** A token that others are bought with, and how much of it the trip begins with. */
export interface Money {
  readonly token: Address.Address
  readonly amount: bigint
}

/** The token's amount in the middle of the trip, and what was left at its end, in the first money's smallest unit. */
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
 * Makes the trip for each token, with whichever money does best on either way. Amounts of the second and later monies are
 * worth `worth` of the first. A token without a pool has no trip. The answers are in the order of the tokens.
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

/** For each swap of each group, what the best pool gives; 0 where none does. */
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

/** A pool that does not exist, or is too thin for the amount, makes the quoter revert. */
const amountOut = (answer: Multicall3.Answer): bigint => Option.getOrElse(Option.flatMap(answer, decodeQuote), () => 0n)

const max = (amounts: ReadonlyArray<bigint>): bigint =>
  amounts.reduce((best, amount) => (amount > best ? amount : best), 0n)
