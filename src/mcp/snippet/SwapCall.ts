/** Decoder of router calls in the generated module. It accepts the same calls as the client's `readSwapCall`. */
export const SWAP_CALL = `\
const routerAbi = parseAbi([
  "struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
  "function multicall(uint256 deadline, bytes[] data)",
  "function exactInputSingle(Single params)",
  "function exactInput(Path params)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient)",
  "function pull(address token, uint256 value)",
  "function sweepToken(address token, uint256 amountMinimum, address recipient)"
])

/** The router itself, as a recipient. */
const ROUTER_ITSELF: Hex = "0x0000000000000000000000000000000000000002"

function decodeRouterCall(data: Hex) {
  const made = decodeFunctionData({ abi: routerAbi, data })
  must(encodeFunctionData({ abi: routerAbi, ...made }) === data.toLowerCase(), "the router call has surplus bytes")
  return made
}

function readSwap(data: Hex) {
  const made = decodeRouterCall(data)
  if (made.functionName === "exactInputSingle") {
    const { amountIn, amountOutMinimum: minimum, recipient, sqrtPriceLimitX96, tokenIn, tokenOut } = made.args[0]
    must(sqrtPriceLimitX96 === 0n, "the router may swap a part only")
    return { tokenIn, tokenOut, amountIn, minimum, recipient }
  }
  if (made.functionName === "exactInput") {
    const { amountIn, amountOutMinimum: minimum, path, recipient } = made.args[0]
    // An address, then a fee and an address for each pool.
    must(path.length > 42 && (path.length - 42) % 46 === 0, "the path of the swap is malformed")
    return { tokenIn: path.slice(0, 42) as Hex, tokenOut: ("0x" + path.slice(-40)) as Hex, amountIn, minimum, recipient }
  }
  if (made.functionName === "pull") {
    const [token, amountIn] = made.args
    return { tokenIn: token, tokenOut: token, amountIn, minimum: amountIn, recipient: ROUTER_ITSELF }
  }
  throw new Error("do not sign: the router would run " + made.functionName)
}

/** Decodes one swap of an exact amount in at most three parts, with at most the unwrapping, or the payment, of an output that the router holds. Throws for any other call, which could spend old approvals. */
function readSwapCall(data: Hex) {
  const made = decodeRouterCall(data)
  if (made.functionName !== "multicall") throw new Error("do not sign: the router would run " + made.functionName)
  const calls = made.args[1]
  const last = calls.at(-1)
  const ending = last === undefined ? undefined : decodeRouterCall(last)
  const unwrapping = ending?.functionName === "unwrapWETH9" ? ending : undefined
  const paying = ending?.functionName === "sweepToken" ? ending : undefined
  const isEnding = unwrapping !== undefined || paying !== undefined
  const [first, ...others] = (isEnding ? calls.slice(0, -1) : calls).map(readSwap)
  if (first === undefined || others.length > 2) throw new Error("do not sign: the router would run several swaps")
  const swap = others.reduce((whole, part) => {
    const isSame = sameText(whole.tokenIn, part.tokenIn) && sameText(whole.tokenOut, part.tokenOut) && sameText(whole.recipient, part.recipient)
    must(isSame && whole.amountIn > 0n && part.amountIn > 0n, "the router would run several swaps")
    return { ...whole, amountIn: whole.amountIn + part.amountIn, minimum: whole.minimum + part.minimum }
  }, first)
  const isHeld = sameText(swap.recipient, ROUTER_ITSELF)
  must(isHeld === isEnding, "the output would stay in the router, or is not there")
  if (unwrapping !== undefined) return { ...swap, minimum: unwrapping.args[0], recipient: unwrapping.args[1], unwraps: true }
  if (paying === undefined) return { ...swap, unwraps: false }
  const [token, minimum, recipient] = paying.args
  must(sameText(token, swap.tokenOut), "the router would pay another token")
  return { ...swap, minimum, recipient, unwraps: false }
}
`
