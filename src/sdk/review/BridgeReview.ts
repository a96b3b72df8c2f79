/**
 * Reviews a bridge call. A contradiction to the request or to the known facts about the bridge is a mismatch. A claim of the
 * service that nothing confirms is a doubt, which the user must see.
 */
import type { Address } from "../model/Address.ts"
import type { Offer } from "../model/Sweep.ts"
import type { BridgeCall } from "./BridgeCall.ts"
import { counterpart, knownBridge, type KnownBridges } from "./KnownBridges.ts"
import { type Collector, sameValue } from "./Mismatches.ts"

const NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

/** Collects the mismatches and returns the doubts. */
export const reviewBridgeCall = (
  { equal, must }: Collector,
  { order, quote }: Offer,
  call: BridgeCall,
  bridges: KnownBridges | undefined
): ReadonlyArray<string> => {
  const source = knownBridge(quote.sourceChainId, bridges)
  const destination = knownBridge(Number(order.destChainId), bridges)
  const doubts: Array<string> = []
  /** Requires the known value, or records a doubt if none is known. */
  const known = (field: string, actual: Address, expected: Address | undefined, doubt: string) => {
    if (expected === undefined) doubts.push(doubt)
    else equal(field, actual, expected)
  }

  equal("order.swapCalldata: depositor", call.depositor, order.owner)
  equal("order.swapCalldata: recipient", call.recipient, order.destination)
  equal("order.swapCalldata: destination chain", call.destChainId, order.destChainId)
  equal("order.swapCalldata: amount", call.inputAmount, order.amountIn - order.feeAmount - order.builderFee)
  equal("order.swapCalldata: amount delivered", call.outputAmount, quote.minAmountOut)
  // Native currency is sent wrapped. The delegate approves no other token, so an unknown one is no doubt.
  const sent = sameValue(order.tokenIn, NATIVE) ? source.wrappedNative : order.tokenIn
  if (sent !== undefined) equal("order.swapCalldata: token", call.inputToken, sent)
  known(
    "order.swapCalldata: token delivered",
    call.outputToken,
    sameValue(order.tokenOut, NATIVE) ? destination.wrappedNative : order.tokenOut,
    `only the service says that ${call.outputToken} arrives as the chain's native currency`
  )

  const { via } = call
  if (via === undefined) return doubts
  // The least amount of another asset could be worth next to nothing, and the exchange would keep the rest.
  known(
    "order.swapCalldata: token bridged",
    via.token,
    counterpart(destination, call.outputToken, source),
    `only the service says what ${via.token} is worth: your tokens are swapped into it, and it is the refund if nobody delivers`
  )
  // The refund is then worth at least the promised amount, and no relayer pays out more than the deposit.
  must(
    via.minAmount >= call.outputAmount,
    "order.swapCalldata: amount bridged",
    `is ${via.minAmount}, less than the ${call.outputAmount} to deliver`
  )
  known(
    "order.swapCalldata: pool",
    via.spokePool,
    source.spokePool,
    `only the service says that ${via.spokePool} is the bridge: it takes the tokens, and must deliver or return them`
  )
  return doubts
}
