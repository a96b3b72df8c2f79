/**
 * The review of a bridge call. What contradicts the request, or what is known of the bridge, is a mismatch; what nobody but the
 * service says is a doubt, which the user must be told.
 */
import type { BridgeCall } from "./bridge.ts"
import { counterpart, knownBridge, type KnownBridges } from "./knownBridges.ts"
import { type Collector, same } from "./mismatches.ts"
import type { Address, Offer } from "./types.ts"

const NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

/** Collects the mismatches of the parts that decide what becomes of the owner's tokens, and returns the doubts. */
export const reviewBridgeCall = (
  { equal, must }: Collector,
  { order, quote }: Offer,
  call: BridgeCall,
  bridges: KnownBridges | undefined
): ReadonlyArray<string> => {
  const source = knownBridge(quote.sourceChainId, bridges)
  const destination = knownBridge(Number(order.destChainId), bridges)
  const doubts: Array<string> = []
  /** `actual` must be what is known; where nothing is, there is a doubt. */
  const known = (field: string, actual: Address, expected: Address | undefined, doubt: string) => {
    if (expected === undefined) doubts.push(doubt)
    else equal(field, actual, expected)
  }

  equal("order.swapCalldata: depositor", call.depositor, order.owner)
  equal("order.swapCalldata: recipient", call.recipient, order.destination)
  equal("order.swapCalldata: destination chain", call.destChainId, order.destChainId)
  equal("order.swapCalldata: amount", call.inputAmount, order.amountIn - order.feeAmount - order.builderFee)
  equal("order.swapCalldata: amount delivered", call.outputAmount, quote.minAmountOut)
  // Native currency is sent wrapped. Where that token is not known, it has to do that the delegate approves no other.
  const sent = same(order.tokenIn, NATIVE) ? source.wrappedNative : order.tokenIn
  if (sent !== undefined) equal("order.swapCalldata: token", call.inputToken, sent)
  known(
    "order.swapCalldata: token delivered",
    call.outputToken,
    same(order.tokenOut, NATIVE) ? destination.wrappedNative : order.tokenOut,
    `only the service says that ${call.outputToken} arrives as the chain's native currency`
  )

  const { via } = call
  if (via === undefined) return doubts
  // Of another asset the least could be next to nothing, on terms that nobody fills: the rest would be the exchange's.
  known(
    "order.swapCalldata: token bridged",
    via.token,
    counterpart(destination, call.outputToken, source),
    `only the service says what ${via.token} is worth: what you send is swapped into it first, and it is what comes back if nobody delivers`
  )
  // So what comes back is worth at least what was promised; and nobody pays out more than was paid in.
  must(
    via.minAmount >= call.outputAmount,
    "order.swapCalldata: amount bridged",
    `is ${via.minAmount}, less than the ${call.outputAmount} to deliver`
  )
  known(
    "order.swapCalldata: pool",
    via.spokePool,
    source.spokePool,
    `only the service says that ${via.spokePool} is the bridge: it takes the tokens, and has to deliver or return them`
  )
  return doubts
}
