/** Decoders of calls of other routers in the generated module. They accept the same calls as the readers of `token-sweep/venues`. */
export const VENUE_CALL = `\
const pairsAbi = parseAbi([
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)"
])

const solidlyAbi = parseAbi([
  "struct Hop { address from; address to; bool stable; address factory; }",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, Hop[] routes, address to, uint256 deadline)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Hop[] routes, address to, uint256 deadline)",
  "function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, Hop[] routes, address to, uint256 deadline)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Hop[] routes, address to, uint256 deadline)"
])

const feesAbi = parseAbi([
  "struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Single params)"
])

const ticksAbi = parseAbi([
  "struct Single { address tokenIn; address tokenOut; int24 tickSpacing; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Single params)"
])

const firstRouterAbi = parseAbi([
  "struct Path { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }",
  "function multicall(bytes[] data)",
  "function exactInput(Path params)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient)"
])

const poolsAbi = parseAbi([
  "struct Pool { address currency; uint24 fee; int24 tickSpacing; address hooks; }",
  "struct Terms { address tokenIn; address tokenOut; address recipient; uint256 amountIn; uint256 minAmountOut; uint256 deadline; bool unwrapsInput; Pool[] hops; }",
  "function exactInput(Terms terms)"
])

/** One swap of an exact amount. */
interface Swap {
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  recipient: Hex
  /** True if the router pays native currency. */
  unwraps: boolean
}

/** Decodes a call whose bytes have no other meaning. */
function decodeWith<const A extends Abi>(abi: A, data: Hex) {
  const made = decodeFunctionData({ abi, data })
  const { args, functionName } = made as { functionName: string; args: readonly unknown[] }
  must(encodeFunctionData({ abi: abi as Abi, functionName, args }) === data.toLowerCase(), "the router call has surplus bytes")
  return made
}

/** The two ends of a path. */
function endsOf(tokens: readonly Hex[]): { tokenIn: Hex; tokenOut: Hex } {
  const [tokenIn, ...others] = tokens
  const tokenOut = others.at(-1)
  if (tokenIn === undefined || tokenOut === undefined) throw new Error("do not sign: the path of the swap is malformed")
  return { tokenIn, tokenOut }
}

/** Uniswap v2, SushiSwap v2, PancakeSwap v2. */
function readPairsCall(data: Hex): Swap {
  const { args, functionName } = decodeWith(pairsAbi, data)
  const [amountIn, , path, recipient] = args
  return { ...endsOf(path), amountIn, recipient, unwraps: functionName.includes("ForETH") }
}

/** Aerodrome and Velodrome v2, basic pools. Each hop takes what the one before it pays. */
function readSolidlyCall(data: Hex): Swap {
  const { args, functionName } = decodeWith(solidlyAbi, data)
  const [amountIn, , hops, recipient] = args
  const joined = hops.every(({ from }, index) => sameText(from, hops[index - 1]?.to ?? from))
  must(joined, "the path of the swap is malformed")
  const tokens = hops.flatMap(({ from, to }) => [from, to])
  return { ...endsOf(tokens), amountIn, recipient, unwraps: functionName.includes("ForETH") }
}

/** One swap of a router whose swaps have a deadline each. */
function readDeadlinedSwap(data: Hex, single: typeof feesAbi | typeof ticksAbi): Omit<Swap, "unwraps"> {
  if (data.slice(0, 10) === toFunctionSelector(single[0])) {
    const { amountIn, recipient, sqrtPriceLimitX96, tokenIn, tokenOut } = decodeWith<typeof feesAbi | typeof ticksAbi>(single, data).args[0]
    must(sqrtPriceLimitX96 === 0n, "the router may swap a part only")
    return { tokenIn, tokenOut, amountIn, recipient }
  }
  const made = decodeWith(firstRouterAbi, data)
  if (made.functionName !== "exactInput") throw new Error("do not sign: the router would run " + made.functionName)
  const { amountIn, path, recipient } = made.args[0]
  // An address, then a fee or a tick spacing, and an address for each pool.
  must(path.length > 42 && (path.length - 42) % 46 === 0, "the path of the swap is malformed")
  return { tokenIn: path.slice(0, 42) as Hex, tokenOut: ("0x" + path.slice(-40)) as Hex, amountIn, recipient }
}

/** SushiSwap v3, or Slipstream of Aerodrome and Velodrome: a swap, alone or in a multicall, which may unwrap its output. */
function readDeadlinedCall(data: Hex, single: typeof feesAbi | typeof ticksAbi): Swap {
  const isMany = data.slice(0, 10) === toFunctionSelector(firstRouterAbi[0])
  const made = isMany ? decodeWith(firstRouterAbi, data) : undefined
  const [first, second, ...others] = made?.functionName === "multicall" ? made.args[0] : [data]
  if (first === undefined || others.length > 0) throw new Error("do not sign: the router would run several swaps")
  const swap = readDeadlinedSwap(first, single)
  // For these routers, no recipient means the router itself.
  const isHeld = sameText(swap.recipient, ZERO)
  if (second === undefined) {
    must(!isHeld, "the output would stay in the router")
    return { ...swap, unwraps: false }
  }
  const unwrapping = decodeWith(firstRouterAbi, second)
  if (!isHeld || unwrapping.functionName !== "unwrapWETH9") throw new Error("do not sign: the router would run several swaps")
  return { ...swap, recipient: unwrapping.args[1], unwraps: true }
}

/** Uniswap v4, by the service's own router. The zero address stands for native currency. */
function readPoolsCall(data: Hex): Swap {
  const { amountIn, hops, recipient, tokenIn, tokenOut } = decodeWith(poolsAbi, data).args[0]
  must(hops.length > 0 && !sameText(tokenIn, ZERO), "the path of the swap is malformed")
  const unwraps = sameText(tokenOut, ZERO)
  return { tokenIn, tokenOut: unwraps ? NATIVE : tokenOut, amountIn, recipient, unwraps }
}

/** Decodes one swap by a router of a known kind. Throws for any other call. */
function readRouterCall(kind: RouterKind | undefined, data: Hex): Swap {
  switch (kind) {
    case "router02":
      return readSwapCall(data)
    case "pairs":
      return readPairsCall(data)
    case "solidly":
      return readSolidlyCall(data)
    case "fees":
      return readDeadlinedCall(data, feesAbi)
    case "ticks":
      return readDeadlinedCall(data, ticksAbi)
    case "pools":
      return readPoolsCall(data)
    default:
      throw new Error("do not sign: the router is not known")
  }
}
`
