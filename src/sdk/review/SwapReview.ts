/** Reviews the router call of an order on one chain. */
import type { QuotedToken } from "../model/Batch.ts"
import { isNative } from "./Native.ts"
import { knownBridge, type KnownBridges } from "./KnownBridges.ts"
import type { Collector } from "./Mismatches.ts"
import type { SwapCall } from "./SwapCall.ts"

/** Requires that the call takes exactly what the order takes, and pays the order's destination. */
export const reviewSwapCall = (
  { confirm, doubts, members }: Collector,
  { order, quote }: QuotedToken,
  call: SwapCall,
  bridges: KnownBridges | undefined
): void => {
  const { wrappedNative } = knownBridge(quote.sourceChainId, bridges)
  const unwraps = isNative(order.tokenOut)
  confirm(
    "order.swapCalldata.tokenIn",
    call.tokenIn,
    isNative(order.tokenIn) ? wrappedNative : order.tokenIn,
    `that ${call.tokenIn} is the chain's wrapped native currency`
  )
  members("order.swapCalldata", call, {
    amountIn: order.amountIn - order.feeAmount - order.builderFee,
    // The order's own minimum holds for native currency on chains that are not known.
    tokenOut: unwraps && !isNative(call.tokenOut) ? (wrappedNative ?? call.tokenOut) : order.tokenOut,
    recipient: order.destination,
    unwraps
  })
  if (call.warning !== undefined) doubts.push(call.warning)
}
