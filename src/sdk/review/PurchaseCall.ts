/**
 * Reviews a swap on arrival: a deposit whose message has Across's MulticallHandler swap the bridged token on the destination chain. If the
 * swap fails, the bridged token arrives.
 */
import { encodeFunctionData, parseAbi, zeroAddress } from "../core/Viem.ts"
import { type Address, sameAddress } from "../model/Address.ts"
import type { Hex } from "../model/Hex.ts"
import type { ArrivalReview } from "./Arrival.ts"
import { decodeExactly } from "./Calldata.ts"
import { counterpart, isCovered, KNOWN_ROUTERS, knownBridge } from "./KnownBridges.ts"
import { valueOf } from "./MoneyReview.ts"
import { isNative } from "./Native.ts"
import { readSwapCall, type SwapCall } from "./SwapCall.ts"

/** A message is the arguments of this function. */
const messageAbi = parseAbi(["function instructions(((address,bytes,uint256)[],address))"])
const SELECTOR = encodeFunctionData({ abi: messageAbi, args: [[[], zeroAddress]] }).slice(0, 10)

const callsAbi = parseAbi(["function approve(address,uint256)", "function multicall(uint256,bytes[])"])

/** Across's MulticallHandler: one address on Ethereum, Optimism, BNB Chain, Polygon, Base and Arbitrum. */
const HANDLER: Address = "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E"
/** MulticallHandlers of Across by chain id. */
export const KNOWN_HANDLERS: Readonly<Record<number, Address>> = {
  1: HANDLER,
  10: HANDLER,
  56: HANDLER,
  137: HANDLER,
  8453: HANDLER,
  42161: HANDLER
}

const BPS = 10_000

/** A swap on arrival. */
export interface PurchaseCall {
  /** Token that the bridge delivers to the handler, and its amount that the router may take. */
  readonly sold: Address
  readonly amount: bigint
  readonly router: Address
  readonly swap: SwapCall
  /** UNIX seconds of the destination chain. */
  readonly deadline: bigint
  /** Gets the delivered token if the swap fails, and what is left of it otherwise. */
  readonly fallbackRecipient: Address
}

/** Decodes the message of a deposit. Returns undefined for anything but one approval and one swap. */
export const readPurchase = (message: Hex): PurchaseCall | undefined => {
  const [[calls, fallbackRecipient] = []] =
    decodeExactly(messageAbi, `${SELECTOR as Hex}${message.slice(2)}`)?.args ?? []
  const [approval, swapCall, ...others] = calls ?? []
  if (approval === undefined || swapCall === undefined || fallbackRecipient === undefined || others.length > 0) {
    return undefined
  }
  const [sold, approveData, approveValue] = approval
  const [router, swapData, swapValue] = swapCall
  const approved = decodeExactly(callsAbi, approveData)
  const routed = decodeExactly(callsAbi, swapData)
  const swap = readSwapCall(swapData)
  if (approved?.functionName !== "approve" || routed?.functionName !== "multicall" || swap === undefined)
    return undefined
  const [spender, amount] = approved.args
  const isPlain = approveValue === 0n && swapValue === 0n && sameAddress(spender, router)
  return isPlain ? { sold, amount, router, swap, deadline: routed.args[0], fallbackRecipient } : undefined
}

/** Contracts of your own networks, by chain id. They extend or replace the built-in ones. */
export interface SwapOnArrivalOptions {
  /** MulticallHandlers of Across. */
  readonly handlers?: Readonly<Record<number, Address>>
  /** SwapRouter02 of Uniswap. */
  readonly routers?: Readonly<Record<number, Address>>
  /**
   * Upper limit of what the bridge keeps of the bridged token, in basis points. The rest arrives if the swap fails, which a service could
   * arrange. `prices` of the review bound it by value, too. After a swap before the bridge nothing else does, which is a warning then, and
   * `guaranteedBy` is `service`. Default: 500.
   */
  readonly maxBridgeFeeBps?: number
}

/**
 * Makes the `arrivals` of a review, so that it accepts tokens that the bridge does not carry. `receive.insteadIfSwapFails` of the review
 * has the token that arrives if the swap fails.
 *
 * @example
 * import { createSweepClient } from "token-sweep"
 * import { swapOnArrival } from "token-sweep/arrivals"
 *
 * const client = createSweepClient({ orchestratorUrl: "https://sweep.example", review: { arrivals: swapOnArrival() } })
 */
export const swapOnArrival =
  ({ handlers, maxBridgeFeeBps = 500, routers }: SwapOnArrivalOptions = {}): ArrivalReview =>
  (check, { order, quote }, call, facts) => {
    const { bridges, maxPriceDeviationBps = 300 } = facts
    const purchase = readPurchase(call.message ?? "0x")
    if (purchase === undefined) return undefined
    const chainId = Number(order.destChainId)
    const { swap } = purchase
    check.confirm(
      "order.swapCalldata.handler",
      call.recipient,
      handlers?.[chainId] ?? KNOWN_HANDLERS[chainId],
      `that ${call.recipient} swaps on arrival`
    )
    check.confirm(
      "order.swapCalldata.router",
      purchase.router,
      routers?.[chainId] ?? KNOWN_ROUTERS[chainId],
      `that ${purchase.router} is the router on chain ${chainId}`
    )
    const [source, destination] = [knownBridge(quote.sourceChainId, bridges), knownBridge(chainId, bridges)]
    const sent = call.via?.token ?? call.inputToken
    // Across the bridge goes one asset. It is what arrives if the swap fails.
    check.confirm(
      "order.swapCalldata.outputToken",
      call.outputToken,
      counterpart(source, sent, destination),
      `what ${call.outputToken} is worth, which arrives if the swap fails`
    )
    const least = (call.via?.minAmount ?? call.inputAmount) * BigInt(BPS - maxBridgeFeeBps)
    check.limit(
      isCovered(destination, call.outputAmount * BigInt(BPS), source, sent, least),
      "order.swapCalldata.outputAmount",
      `is ${call.outputAmount}, more than ${maxBridgeFeeBps} basis points below what enters the bridge`
    )
    const paid = valueOf(facts, quote.sourceChainId, order.tokenIn, order.amountIn - quote.total)
    const received = valueOf(facts, chainId, call.outputToken, call.outputAmount)
    check.limit(
      paid === undefined || received === undefined || (paid - received) * BPS <= paid * maxPriceDeviationBps,
      "quote.arrivesInsteadIfSwapFails.minAmount",
      `is worth ${received} USD, for ${paid} USD`
    )
    if (call.via !== undefined && (paid === undefined || received === undefined)) {
      // The service alone says how much the swap before the bridge brings.
      check.doubts.push(
        `only the service says how much of ${call.outputToken} is worth what is sent: it arrives if the swap on arrival fails`
      )
    }
    check.must(
      !sameAddress(swap.tokenIn, swap.tokenOut),
      "order.swapCalldata.purchase.tokenOut",
      "is what the bridge delivers, so nothing is to be bought"
    )
    check.members("order.swapCalldata.purchase", purchase, {
      sold: call.outputToken,
      amount: call.outputAmount,
      fallbackRecipient: swap.recipient
    })
    check.members("order.swapCalldata.purchase", swap, {
      tokenIn: call.outputToken,
      amountIn: call.outputAmount,
      unwraps: isNative(order.tokenOut)
    })
    check.must(
      purchase.deadline >= call.fillDeadline,
      "order.swapCalldata.purchase.deadline",
      `is ${purchase.deadline}, before the deposit's`
    )
    check.equal("quote.arrivesInsteadIfSwapFails", quote.arrivesInsteadIfSwapFails, {
      token: call.outputToken,
      minAmount: call.outputAmount
    })
    return { recipient: swap.recipient, outputToken: swap.tokenOut, outputAmount: swap.minAmountOut }
  }
