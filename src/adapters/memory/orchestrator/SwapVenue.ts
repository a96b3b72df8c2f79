/**
 * Venue with fixed rates, for tests. Its calldata runs nowhere: it encodes the figures of the route, so that different
 * routes have different calldata.
 */
import { Effect, Layer, Option } from "effect"
import { encodeAbiParameters, parseAbiParameters } from "viem"
import type * as Address from "../../../domain/Address.ts"
import { lessBps, mulDivDown } from "../../../domain/Amount.ts"
import { NoRoute, SwapVenue, type SwapRequest } from "../../../ports/orchestrator/SwapVenue.ts"

export interface Rate {
  readonly numerator: bigint
  readonly denominator: bigint
}

export interface Options {
  readonly target: Address.Address
  /** Units of the output token per unit of the input; none if there is no route. */
  readonly rate: (request: SwapRequest) => Option.Option<Rate>
  readonly gas?: bigint
}

const CALLDATA = parseAbiParameters("address, address, uint256, uint256, address, uint256")

export const layer = ({ gas = 120_000n, rate, target }: Options) => {
  const route: SwapVenue["Service"]["route"] = Effect.fnUntraced(function* (request) {
    const { amountIn, deadline, recipient, slippageBps, tokenIn, tokenOut } = request
    const amountOut = Option.match(rate(request), {
      onNone: () => 0n,
      onSome: ({ denominator, numerator }) => mulDivDown(amountIn, numerator, denominator)
    })
    if (amountOut === 0n) return yield* new NoRoute({ detail: `nothing for ${tokenIn}` })
    const least = lessBps(amountOut, slippageBps)
    const minAmountOut = least > 0n ? least : 1n
    return {
      provider: "memory",
      target,
      calldata: encodeAbiParameters(CALLDATA, [tokenIn, tokenOut, amountIn, minAmountOut, recipient, deadline]),
      amountOut,
      minAmountOut,
      gas,
      passing: 0
    }
  })
  return Layer.succeed(SwapVenue, {
    route,
    prepare: (pair) => Effect.succeed((terms) => route({ ...terms, ...pair, amountIn: terms.amountIn }))
  })
}
