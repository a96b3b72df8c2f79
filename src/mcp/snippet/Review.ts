/** Review of the generated module. It refuses the same orders as the client's `reviewOrder` with `VENUE_ROUTERS` and `swapOnArrival()`. */
export const REVIEW = `\
/** Checks the bridge call of an order across chains. Returns the refund if a swap comes before the bridge, and what arrives if one on arrival fails. */
function reviewBridgeCall(owner: Hex, request: SweepRequest, { order, quote }: Quoted, fees: bigint) {
  const least = BigInt(quote.minAmountOut)
  must(BigInt(order.minAmountOut) === 0n, "the order's minimum is " + order.minAmountOut)
  const made = readBridgeCall(order.swapCalldata)
  const [here, there] = [BRIDGES[quote.sourceChainId], BRIDGES[request.destChainId]]
  const sent = sameText(request.tokenIn, NATIVE) ? here?.wrappedNative : request.tokenIn
  const received = sameText(request.tokenOut, NATIVE) ? there?.wrappedNative : request.tokenOut
  must(sameText(made.depositor, owner), "the bridge would refund " + made.depositor)
  must(isKnown(made.inputToken, sent), "the bridge takes " + made.inputToken)
  must(made.inputAmount === request.amountIn - fees, "the bridge takes " + made.inputAmount)
  must(made.chainId === BigInt(request.destChainId), "the bridge pays on chain " + made.chainId)
  const destination = request.destination ?? owner
  const instead = made.message === "0x" ? undefined : reviewPurchase(destination, request, { order, quote }, made)
  if (instead === undefined) {
    must(sameText(made.recipient, destination), "the bridge would pay " + made.recipient)
    must(isKnown(made.outputToken, received), "the bridge pays " + made.outputToken)
    must(made.outputAmount === least, "the bridge pays " + made.outputAmount)
  }
  const { via } = made
  if (via === undefined) {
    must(isKnown(order.swapTarget, here?.spokePool), "the bridge is " + order.swapTarget)
    return { refund: undefined, instead }
  }
  must(isKnown(order.swapTarget, here?.periphery), "the bridge's swapper is " + order.swapTarget)
  const asset = counterpart(request.destChainId, made.outputToken, quote.sourceChainId)
  must(isKnown(via.token, asset.address), "the bridged token is " + via.token)
  must(isKnown(via.spokePool, here?.spokePool), "the bridge is " + via.spokePool)
  // The two tokens may count in other decimals.
  must(via.amount * 10n ** BigInt(asset.there) >= made.outputAmount * 10n ** BigInt(asset.here), "the bridged amount is " + via.amount)
  return { refund: { token: via.token, amount: via.amount, chainId: quote.sourceChainId }, instead }
}

/** Checks the router call of an order on one chain. */
function reviewSwapCall(request: SweepRequest, { order, quote }: Quoted, fees: bigint, destination: Hex): void {
  const routers = Object.entries(ROUTERS[quote.sourceChainId] ?? {})
  const [, kind] = routers.find(([address]) => sameText(address, order.swapTarget)) ?? []
  must(kind !== undefined, "the router is " + order.swapTarget)
  const made = readRouterCall(kind, order.swapCalldata)
  const wrapped = BRIDGES[quote.sourceChainId]?.wrappedNative
  const native = sameText(request.tokenOut, NATIVE)
  must(isKnown(made.tokenIn, sameText(request.tokenIn, NATIVE) ? wrapped : request.tokenIn), "the router takes " + made.tokenIn)
  must(made.amountIn === request.amountIn - fees, "the router takes " + made.amountIn)
  must(sameText(made.recipient, destination), "the router pays " + made.recipient)
  must(made.unwraps === native, "the router pays in another currency")
  // The order's own minimum holds for native currency on chains that are not known.
  must((native && wrapped === undefined) || isKnown(made.tokenOut, native && !sameText(made.tokenOut, NATIVE) ? wrapped : request.tokenOut), "the router pays " + made.tokenOut)
}

/** Throws if the order differs from the request or exceeds a limit. Show the result to the user before you sign. */
export function review(owner: Hex, request: SweepRequest, offer: Quoted) {
  const { order, quote } = offer
  const chainId = request.sourceChainId ?? SOURCE_CHAIN_ID
  const destination = request.destination ?? owner
  const now = Date.now() / 1000
  const fees = BigInt(order.feeAmount) + BigInt(order.builderFee)
  const least = BigInt(quote.minAmountOut)

  must(sameText(order.owner, owner), "the owner is " + order.owner)
  must(sameText(order.tokenIn, request.tokenIn), "the token to send is " + order.tokenIn)
  must(BigInt(order.amountIn) === request.amountIn, "the amount is " + order.amountIn)
  must(sameText(order.tokenOut, request.tokenOut), "the token to receive is " + order.tokenOut)
  must(sameText(order.destination, destination), "the destination is " + order.destination)
  must(sameText(order.destChainId, request.destChainId), "the destination chain is " + order.destChainId)
  must(quote.sourceChainId === chainId, "the source chain is " + quote.sourceChainId)
  must(quote.crossChain === (chainId !== request.destChainId), "crossChain is " + quote.crossChain)

  must(BigInt(quote.total) === fees && fees * 10000n <= request.amountIn * MAX_FEE_BPS, "the fees are " + fees)
  must(fees < request.amountIn, "the fees take all")
  must(BUILDER_API_KEY !== undefined || sameText(order.builder, ZERO), "the builder is " + order.builder)
  must(!sameText(order.builder, ZERO) || BigInt(order.builderFee) === 0n, "the builder's fee goes to nobody")

  must(least > 0n && least >= (request.minAmountOut ?? 0n), "the least amount to receive is " + least)
  const expected = BigInt(quote.estimatedAmountOut)
  must(expected >= least, "the expected amount is " + expected)
  // One more unit for the rounding of small amounts.
  must((least + 1n) * 10000n >= expected * (10000n - MAX_SLIPPAGE_BPS), "the slippage is more than " + MAX_SLIPPAGE_BPS + " basis points")
  const lifetime = Number(order.deadline) - now
  must(lifetime > 0 && lifetime < MAX_LIFETIME_SECONDS, "the deadline is " + order.deadline)
  must(quote.expiresAtMs / 1000 > now, "the quote has expired")

  must(!sameText(order.swapTarget, ZERO) && !sameText(order.swapTarget, owner), "the swap target is " + order.swapTarget)
  const delegate = knownDelegate(chainId)
  must(!isKnown(delegate, SWEEP_ROUTER), "the delegate is the router")
  must(!sameText(order.swapTarget, delegate), "the swap target is the delegate")
  must(sameText(quote.settlementAddress, delegate), "the delegate is " + quote.settlementAddress)

  // On one chain the delegate enforces the minimum. Across chains the bridge does.
  must(quote.crossChain || BigInt(order.minAmountOut) === least, "the order's minimum is " + order.minAmountOut)
  const bridged = quote.crossChain ? reviewBridgeCall(owner, request, offer, fees) : undefined
  if (!quote.crossChain) reviewSwapCall(request, offer, fees, destination)

  return {
    send: { token: order.tokenIn, amount: request.amountIn, chainId },
    fees: { protocol: BigInt(order.feeAmount), builder: BigInt(order.builderFee) },
    receiveAtLeast: { token: order.tokenOut, amount: least, chainId: request.destChainId, destination },
    /** Refund if nobody delivers, where it is not the token that was sent. */
    refundAtLeast: bridged?.refund,
    /** Arrives in place of the token to receive if a swap on arrival fails. */
    insteadIfSwapFails: bridged?.instead,
    quoteExpires: new Date(quote.expiresAtMs),
    orderExpires: new Date(Number(order.deadline) * 1000)
  }
}
`
