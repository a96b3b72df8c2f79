/** Reviews fees, slippage and price of an order. */
import { isZeroAddress, sameAddress } from "../model/Address.ts"
import type { QuotedToken } from "../model/Batch.ts"
import type { Collector } from "./Mismatches.ts"
import type { ReviewOptions } from "./ReviewOptions.ts"
import type { TermsRequest } from "./TermsRequest.ts"

const BPS = 10_000

/** Value of an amount in US dollars. Undefined if the caller gave no price of the token. */
export const valueOf = (
  { prices = [] }: Pick<ReviewOptions, "prices">,
  chainId: number,
  token: `0x${string}`,
  amount: bigint
): number | undefined => {
  const price = prices.find((each) => each.chainId === chainId && sameAddress(each.token, token))
  return price && (Number(amount) / 10 ** price.decimals) * price.usd
}

/** Compares the fees with their limits. */
export const reviewFees = (
  { equal, limit, must }: Collector,
  { order, quote }: QuotedToken,
  attributed: boolean,
  options: ReviewOptions
): void => {
  const { dustFeeUsd = 0, maxFeeBps = 500 } = options
  const total = order.feeAmount + order.builderFee
  equal("quote.total", quote.total, total)
  must(total < order.amountIn, "order.feeAmount", `and order.builderFee take ${total} of ${order.amountIn}`)
  const usd = valueOf(options, quote.sourceChainId, order.tokenIn, total)
  limit(
    total * BigInt(BPS) <= order.amountIn * BigInt(maxFeeBps) || (usd !== undefined && usd <= dustFeeUsd),
    "quote.total",
    `is ${total}, more than ${maxFeeBps} basis points`
  )
  const hasBuilder = !isZeroAddress(order.builder)
  must(hasBuilder || order.builderFee === 0n, "order.builderFee", "goes to nobody")
  must(hasBuilder === (quote.builderId !== undefined), "quote.builderId", "and order.builder disagree")
  must(attributed || !hasBuilder, "order.builder", `is ${order.builder}, expected none`)
  if (hasBuilder && options.builder !== undefined) equal("order.builder", order.builder, options.builder)
}

/** Compares the least and the expected amount with each other, with the request and with independent prices. */
export const reviewOutput = (
  { equal, limit, must }: Collector,
  { order, quote }: QuotedToken,
  request: TermsRequest,
  options: ReviewOptions
): void => {
  const { estimatedAmountOut, minAmountOut } = quote
  const { maxPriceDeviationBps = 300, maxSlippageBps = request.slippageBps ?? 100 } = options
  equal("order.minAmountOut", order.minAmountOut, quote.crossChain ? 0n : minAmountOut)
  must(minAmountOut > 0n, "quote.minAmountOut", "is 0")
  must(
    estimatedAmountOut >= minAmountOut,
    "quote.estimatedAmountOut",
    `is ${estimatedAmountOut}, less than ${minAmountOut}`
  )
  const wanted = request.minAmountOut ?? 0n
  limit(minAmountOut >= wanted, "quote.minAmountOut", `is ${minAmountOut}, less than ${wanted}`)
  // One more unit for the rounding of small amounts.
  limit(
    (minAmountOut + 1n) * BigInt(BPS) >= estimatedAmountOut * BigInt(BPS - maxSlippageBps),
    "quote.minAmountOut",
    `is ${minAmountOut}, more than ${maxSlippageBps} basis points below ${estimatedAmountOut}`
  )
  const paid = valueOf(options, quote.sourceChainId, order.tokenIn, order.amountIn - quote.total)
  const received = valueOf(options, Number(order.destChainId), order.tokenOut, estimatedAmountOut)
  if (paid === undefined || received === undefined) return
  limit(
    Math.abs(received - paid) * BPS <= paid * maxPriceDeviationBps,
    "quote.estimatedAmountOut",
    `is worth ${received} USD, for ${paid} USD`
  )
}
