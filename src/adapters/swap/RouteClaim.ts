/**
 * Compares the route that a service offers with the request. The service chooses the path, and nothing else: an answer that differs in
 * any other point is refused. Pure. The rehearsal of the order is the last word about what it pays.
 */
import { Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import type { SwapRequest, SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import * as Objection from "../providers/Objection.ts"

/** A route as an answer states it. Tokens, amounts and recipient are those of the decoded calldata, not those that the answer repeats. */
export interface Claim {
  readonly target: Address.Address
  readonly calldata: Hex
  /** Native currency that the call needs, in wei. */
  readonly value: bigint
  /** Contract to approve. */
  readonly spender: Address.Address
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
  readonly recipient: Address.Address
  /** Expected output, in the smallest unit. */
  readonly amountOut: bigint
  /** Output below which the call reverts. */
  readonly minAmountOut: bigint
  readonly gas: bigint
  /** Facts that the answer repeats, by name, each with what the request says. */
  readonly repeated: ReadonlyArray<readonly [name: string, said: unknown, requested: unknown]>
}

/** The order's calldata is stored, signed and paid for. */
const MAX_CALLDATA_BYTES = 24_576

/** Gas of the cheapest swap. A smaller figure is no estimate, and would only rank the route higher. */
const MIN_GAS = 60_000n
const MAX_GAS = 15_000_000n

/** Services round the minimum in their own way. */
const ROUNDING_BPS = 1

/** The contradiction between the offered route and the request. Undefined if there is none. */
const contradiction = (
  { amountIn, recipient, tokenIn, tokenOut }: SwapRequest,
  routers: ReadonlyArray<Address.Address>,
  claim: Claim
): string | undefined => {
  if (!routers.includes(claim.target)) return `calls ${claim.target}, which is not its router`
  if (claim.spender !== claim.target) return `wants an allowance for ${claim.spender} and calls ${claim.target}`
  if (claim.tokenIn !== tokenIn) return `sells ${claim.tokenIn}`
  if (claim.tokenOut !== tokenOut) return `buys ${claim.tokenOut}`
  if (claim.amountIn !== amountIn) return `sells ${claim.amountIn} in place of ${amountIn}`
  if (claim.recipient !== recipient) return `pays to ${claim.recipient}`
  const other = claim.repeated.find(([, said, requested]) => said !== requested)
  return other === undefined ? undefined : `has another ${other[0]} than the request`
}

/** The terms of the offered route that are not accepted, as odd tokens and amounts can bring them about. Undefined if all are. */
const misfit = ({ slippageBps }: SwapRequest, claim: Claim): string | undefined => {
  if (claim.value !== 0n) return `needs ${claim.value} wei of native currency`
  if (claim.amountOut <= 0n) return "pays nothing"
  if (claim.minAmountOut > claim.amountOut) return "has a minimum above the expected output"
  if (claim.minAmountOut < lessBps(claim.amountOut, Math.min(10_000, slippageBps + ROUNDING_BPS))) {
    return `has a minimum of ${claim.minAmountOut} for ${claim.amountOut} at ${slippageBps} basis points`
  }
  if (claim.gas > MAX_GAS) return `needs ${claim.gas} gas`
  return size(claim.calldata) > MAX_CALLDATA_BYTES ? `has ${size(claim.calldata)} bytes of calldata` : undefined
}

/** The objection to the offered route. Undefined if there is none. A contradiction comes before terms that are not accepted. */
export const objection = (
  request: SwapRequest,
  routers: ReadonlyArray<Address.Address>,
  claim: Claim
): Objection.Objection | undefined => {
  const contradicting = contradiction(request, routers, claim)
  if (contradicting !== undefined) return Objection.dishonest(contradicting)
  const unfit = misfit(request, claim)
  return unfit === undefined ? undefined : Objection.unsuited(unfit)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The route of a claim that matches the request. Otherwise the objection. */
export const route = (
  provider: string,
  request: SwapRequest,
  routers: ReadonlyArray<Address.Address>,
  claim: Claim
): Result.Result<SwapRoute, Objection.Objection> => {
  const objected = objection(request, routers, claim)
  if (objected !== undefined) return Result.fail(objected)
  const least = larger(claim.minAmountOut, lessBps(claim.amountOut, request.slippageBps))
  return Result.succeed({
    provider,
    target: claim.target,
    calldata: claim.calldata,
    amountOut: claim.amountOut,
    // The delegate enforces this minimum too, and rejects an order whose minimum is 0.
    minAmountOut: larger(least, 1n),
    gas: larger(claim.gas, MIN_GAS),
    passing: 0
  })
}
