/** Review of swaps on arrival in the generated module. It accepts the same calls as the client's `swapOnArrival`. */
export const PURCHASE_CALL = `\
/** A deposit's message is the arguments of instructions. */
const purchaseAbi = parseAbi([
  "struct Call { address target; bytes callData; uint256 value; }",
  "struct Instructions { Call[] calls; address fallbackRecipient; }",
  "function instructions(Instructions message)",
  "function approve(address spender, uint256 amount)"
])
const INSTRUCTIONS = toFunctionSelector("instructions(((address,bytes,uint256)[],address))")

function decodePurchase(data: Hex) {
  const made = decodeFunctionData({ abi: purchaseAbi, data })
  must(encodeFunctionData({ abi: purchaseAbi, ...made }) === data.toLowerCase(), "the bridge's message has surplus bytes")
  return made
}

/** Reads a message: one approval and one swap on SwapRouter02, by Across's handler. Throws for any other. */
function readPurchase(message: Hex) {
  const made = decodePurchase((INSTRUCTIONS + message.slice(2)) as Hex)
  if (made.functionName !== "instructions") throw new Error("do not sign: the bridge's message is not read")
  const { calls, fallbackRecipient } = made.args[0]
  const [approval, swap, ...others] = calls
  if (approval === undefined || swap === undefined || others.length > 0) throw new Error("do not sign: the bridge would make other calls")
  const approved = decodePurchase(approval.callData)
  const routed = decodeRouterCall(swap.callData)
  if (approved.functionName !== "approve" || routed.functionName !== "multicall") throw new Error("do not sign: the bridge would make other calls")
  const [spender, amount] = approved.args
  must(approval.value === 0n && swap.value === 0n && sameText(spender, swap.target), "the bridge would approve " + spender)
  return { sold: approval.target, amount, router: swap.target, deadline: routed.args[0], fallbackRecipient, swap: readSwapCall(swap.callData) }
}

/**
 * Checks what the bridge's handler buys on arrival: the token that the owner wants, with all that the bridge delivers. If that fails, the
 * bridged token arrives. Returns it.
 */
function reviewPurchase(destination: Hex, request: SweepRequest, { quote }: Quoted, made: ReturnType<typeof readBridgeCall>) {
  const { amount, deadline, fallbackRecipient, router, sold, swap } = readPurchase(made.message)
  const there = BRIDGES[request.destChainId]
  const native = sameText(request.tokenOut, NATIVE)
  const kind = Object.entries(ROUTERS[request.destChainId] ?? {}).find(([address]) => sameText(address, router))?.[1]
  must(isKnown(made.recipient, HANDLERS[request.destChainId]), "the bridge pays " + made.recipient)
  must(kind === "router02", "the router on arrival is " + router)
  must(sameText(sold, made.outputToken) && sameText(swap.tokenIn, made.outputToken), "the token sold on arrival is " + sold)
  must(amount === made.outputAmount && swap.amountIn === made.outputAmount, "the amount sold on arrival is " + amount)
  must(!sameText(swap.tokenOut, made.outputToken), "nothing is to be bought on arrival")
  must(isKnown(swap.tokenOut, native ? there?.wrappedNative : request.tokenOut), "the token bought on arrival is " + swap.tokenOut)
  must(swap.unwraps === native, "the router pays in another currency")
  must(swap.minimum === BigInt(quote.minAmountOut), "the least amount bought on arrival is " + swap.minimum)
  must(sameText(swap.recipient, destination), "the router pays " + swap.recipient)
  must(sameText(fallbackRecipient, destination), "without the swap, the bridge pays " + fallbackRecipient)
  must(deadline >= BigInt(made.fillDeadline), "the swap on arrival ends before the bridge's deadline")
  // One asset crosses the bridge, so amounts can be compared.
  const sent = made.via ?? { token: made.inputToken, amount: made.inputAmount }
  const asset = counterpart(request.destChainId, made.outputToken, quote.sourceChainId)
  must(isKnown(sent.token, asset.address), "the bridged token is " + sent.token)
  const enough = made.outputAmount * 10n ** BigInt(asset.here) * 10000n >= sent.amount * 10n ** BigInt(asset.there) * (10000n - MAX_BRIDGE_FEE_BPS)
  must(enough, "the bridge delivers " + made.outputAmount)
  const instead = quote.arrivesInsteadIfSwapFails
  must(instead !== undefined && sameText(instead.token, sold) && BigInt(instead.minAmount) === amount, "the quote hides what arrives if the swap fails")
  return { token: sold, amount, chainId: request.destChainId }
}
`
