/** Code that reads an order's swap call before the owner signs it. It knows the chain's routers, and a swap through one pool. */
import type { DeploymentView } from "../../../api/builder/DeploymentApi.ts"

type Router = DeploymentView["chains"][number]["routers"][number]
type Family = Router["family"]

/** A reader of each kind of call. Each returns the terms of one swap, or throws. */
const READERS: Readonly<Record<Family, string>> = {
  "uniswap-v3": `(data) => {
    const { functionName, args } = read(data, [
      "function multicall(uint256 deadline, bytes[] calls)",
      "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 least, uint160 priceLimit) swap)"
    ])
    if (functionName === "exactInputSingle") return args[0]
    must(args[1].length === 1, "the router makes several calls")
    return read(args[1][0], [
      "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 least, uint160 priceLimit) swap)"
    ]).args[0]
  }`,
  "uniswap-v2": `(data) => {
    const [amountIn, , path, recipient] = read(data, [
      "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 least, address[] path, address recipient, uint256 deadline)"
    ]).args
    must(path.length === 2, "the router uses several pools")
    return { tokenIn: path[0], tokenOut: path[1], recipient, amountIn, priceLimit: 0n }
  }`,
  solidly: `(data) => {
    const [amountIn, , pools, recipient] = read(data, [
      "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 least, (address from, address to, bool stable, address factory)[] pools, address recipient, uint256 deadline)"
    ]).args
    must(pools.length === 1, "the router uses several pools")
    return { tokenIn: pools[0].from, tokenOut: pools[0].to, recipient, amountIn, priceLimit: 0n }
  }`,
  slipstream: `(data) =>
    read(data, [
      "function exactInputSingle((address tokenIn, address tokenOut, int24 tickSpacing, address recipient, uint256 deadline, uint256 amountIn, uint256 least, uint160 priceLimit) swap)"
    ]).args[0]`,
  "uniswap-v4": `(data) => {
    const [swap] = read(data, [
      "function exactInput((address tokenIn, address tokenOut, address recipient, uint256 amountIn, uint256 least, uint256 deadline, bool unwrapsInput, (address currency, uint24 fee, int24 tickSpacing, address hooks)[] pools) swap)"
    ]).args
    must(swap.pools.length === 1, "the router uses several pools")
    return { ...swap, priceLimit: 0n }
  }`
}

/** Names from viem that the code uses. */
export const SWAP_CHECK_IMPORTS = "decodeFunctionData, encodeFunctionData, parseAbi"

/** Needs `must`, `same`, `request`, `order` and `fees`. */
export const swapCheck = (
  routers: ReadonlyArray<Router>
): string => `// The account itself calls the router: any call but the swap could spend what the account allowed it before. This code reads a swap
// through one pool. The client token-sweep reads longer ones.
const read = (data, signatures) => {
  const abi = parseAbi(signatures)
  try {
    const call = decodeFunctionData({ abi, data })
    if (same(encodeFunctionData({ abi, ...call }), data)) return call
  } catch {
    // It is another call.
  }
  throw new Error("do not sign: the router does anything but one swap through one pool")
}
const readers = {
  ${[...new Set(routers.map(({ family }) => family))]
    .map((family) => `${JSON.stringify(family)}: ${READERS[family]}`)
    .join(",\n  ")}
}
// Compare them with the operator's documentation, too.
const routers = {
  ${routers.map(({ address, family }) => `"${address}": readers[${JSON.stringify(family)}]`).join(",\n  ")}
}
const [, readSwap] = Object.entries(routers).find(([router]) => same(router, order.swapTarget)) ?? []
must(readSwap !== undefined, \`the router is \${order.swapTarget}\`)
const swap = readSwap(order.swapCalldata)
must(same(swap.tokenIn, request.tokenIn) && same(swap.tokenOut, request.tokenOut), "the router swaps other tokens")
must(swap.amountIn === BigInt(order.amountIn) - fees, \`the router takes \${swap.amountIn}\`)
must(same(swap.recipient, request.destination), \`the router pays \${swap.recipient}\`)
must(swap.priceLimit === 0n, "the router may swap a part only")`
