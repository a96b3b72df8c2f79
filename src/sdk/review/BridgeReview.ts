/**
 * Reviews a bridge call. A contradiction to the request or to the known facts about the bridge is a mismatch. So is a claim of the
 * service that nothing confirms, unless the caller chose to see such claims as warnings.
 */
import { isZeroAddress } from "../model/Address.ts"
import type { QuotedToken } from "../model/Batch.ts"
import type { Arrival } from "./Arrival.ts"
import type { BridgeCall } from "./BridgeCall.ts"
import { counterpart, isCovered, knownBridge, type KnownBridges } from "./KnownBridges.ts"
import type { Collector } from "./Mismatches.ts"
import { isNative } from "./Native.ts"

/** The longest time in which one relayer alone may fill, in seconds. The service asks for no longer one. */
const MAX_EXCLUSIVITY_SECONDS = 120

/** The longest time until a deposit can be refunded, in seconds: 6 hours in Across's pools, and the order's own lifetime. */
const MAX_FILL_SECONDS = 6 * 3_600 + 3_600

const reviewTerms = ({ must }: Collector, call: BridgeCall, nowMs: number): void => {
  const { exclusiveRelayer, exclusivity, fillDeadline } = call
  const seconds = nowMs / 1000
  // The pool reads a large number as a point in time, which would lock the tokens until the deadline.
  must(
    isZeroAddress(exclusiveRelayer) ? exclusivity === 0 : exclusivity <= MAX_EXCLUSIVITY_SECONDS,
    "order.swapCalldata.exclusivity",
    `is ${exclusivity} s for ${exclusiveRelayer}`
  )
  must(
    fillDeadline > seconds && fillDeadline <= seconds + MAX_FILL_SECONDS,
    "order.swapCalldata.fillDeadline",
    `is ${fillDeadline}`
  )
}

/** Compares the call with the order and with the known facts. `arrival` is what the recipient gets. */
export const reviewBridgeCall = (
  check: Collector,
  { order, quote }: QuotedToken,
  call: BridgeCall,
  arrival: Arrival,
  bridges: KnownBridges | undefined,
  nowMs: number
): void => {
  const { confirm, members, must } = check
  const source = knownBridge(quote.sourceChainId, bridges)
  const destination = knownBridge(Number(order.destChainId), bridges)

  members(
    "order.swapCalldata",
    { ...call, ...arrival },
    {
      depositor: order.owner,
      recipient: order.destination,
      // Native currency is sent wrapped. The delegate approves no other token, so an unknown one is no doubt.
      inputToken: isNative(order.tokenIn) ? (source.wrappedNative ?? call.inputToken) : order.tokenIn,
      inputAmount: order.amountIn - order.feeAmount - order.builderFee,
      outputAmount: quote.minAmountOut,
      destChainId: order.destChainId
    }
  )
  reviewTerms(check, call, nowMs)
  confirm(
    "order.swapCalldata.outputToken",
    arrival.outputToken,
    isNative(order.tokenOut) ? destination.wrappedNative : order.tokenOut,
    `that ${arrival.outputToken} arrives as the chain's native currency`
  )

  const { via } = call
  const pool = via === undefined ? order.swapTarget : via.spokePool
  confirm(
    via === undefined ? "order.swapTarget" : "order.swapCalldata.via.spokePool",
    pool,
    source.spokePool,
    `that ${pool} is the bridge, which delivers or returns the tokens`
  )
  if (via === undefined) return
  confirm("order.swapTarget", order.swapTarget, source.periphery, `that ${order.swapTarget} swaps before the bridge`)
  confirm(
    "order.swapCalldata.via.token",
    via.token,
    // The least amount of another asset could be worth next to nothing, and the exchange would keep the rest.
    counterpart(destination, call.outputToken, source),
    `what ${via.token} is worth, which is the refund if nobody delivers`
  )
  // The refund is then worth at least the promised amount, and no relayer pays out more than the deposit.
  must(
    isCovered(source, via.minAmount, destination, call.outputToken, call.outputAmount),
    "order.swapCalldata.via.minAmount",
    `is ${via.minAmount}, less than the ${call.outputAmount} to deliver`
  )
}
