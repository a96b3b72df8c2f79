// Sweeps 25 DAI into USDC with fetch and viem: `node viem-sweep.mjs path/to/.sweep/dev.json`
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { decodeFunctionData, encodeFunctionData, formatUnits, parseAbi, parseUnits, zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"

// Your configuration. The operator publishes the delegate of each chain; never take it from a response.
const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const { delegate, id: chainId, name: chainName, swapRouter, tokens } = dev.chains[0]
const { DAI, USDC } = tokens
const account = privateKeyToAccount(dev.accounts[1].privateKey)

const call = async (method, path, body) => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(dev.orchestratorUrl + path, { method, headers, body: body && JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`)
  return answer
}

// 1. Request a quote, and set the limits that you accept.
const request = {
  owner: account.address,
  tokenIn: DAI.address,
  amountIn: parseUnits("25", DAI.decimals).toString(),
  tokenOut: USDC.address,
  destination: account.address,
  destChainId: chainId,
  tier: "tier1",
  route: `${chainName}->${chainName}`,
  subscriptionActive: false,
  userId: account.address
}
const maxFees = parseUnits("2.5", DAI.decimals)
const minAmountOut = parseUnits("22", USDC.decimals)
const maxLifetimeSeconds = 3_600
const { order, quote, signing } = await call("POST", "/quote", request)

// 2. Check the order before you sign it. The contracts enforce the rest: only listed swap targets, and minAmountOut or a revert.
const must = (holds, problem) => {
  if (!holds) throw new Error(`do not sign: ${problem}`)
}
const same = (a, b) => String(a).toLowerCase() === String(b).toLowerCase()
for (const field of ["owner", "tokenIn", "amountIn", "tokenOut", "destination", "destChainId"]) {
  must(same(order[field], request[field]), `${field} is ${order[field]}`)
}
const fees = BigInt(order.feeAmount) + BigInt(order.builderFee)
must(fees <= maxFees, `fees are ${fees}`)
must(same(order.builder, zeroAddress) && BigInt(order.builderFee) === 0n, `the builder is ${order.builder}`)
must(BigInt(order.minAmountOut) >= minAmountOut, `minAmountOut is ${order.minAmountOut}`)
const now = Math.floor(Date.now() / 1000)
must(order.deadline > now && order.deadline <= now + maxLifetimeSeconds, `deadline is ${order.deadline}`)
must(quote.sourceChainId === chainId, `the source chain is ${quote.sourceChainId}`)
must(same(quote.settlementAddress, delegate), `the delegate is ${quote.settlementAddress}`)
// Your account itself calls the router. Any call but the swap could spend what you allowed the router before. This one expects one pool.
const abi = parseAbi([
  "function multicall(uint256 deadline, bytes[] calls)",
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) swap)"
])
const { args: [routerDeadline, calls] = [0n, []] } = decodeFunctionData({ abi, data: order.swapCalldata })
must(calls.length === 1, "the router makes several calls")
const { args: [swap] = [{}] } = decodeFunctionData({ abi, data: calls[0] })
const plain = [encodeFunctionData({ abi, functionName: "exactInputSingle", args: [swap] })]
const expected = encodeFunctionData({ abi, functionName: "multicall", args: [routerDeadline, plain] })
must(same(order.swapCalldata, expected), "the router call has surplus bytes")
must(same(order.swapTarget, swapRouter), `the router is ${order.swapTarget}`)
must(same(swap.tokenIn, request.tokenIn) && same(swap.tokenOut, request.tokenOut), "the router swaps other tokens")
must(swap.amountIn === BigInt(request.amountIn) - fees, `the router takes ${swap.amountIn}`)
must(same(swap.recipient, request.destination), `the router pays ${swap.recipient}`)
must(swap.sqrtPriceLimitX96 === 0n, "the router may swap a part only")
console.log(`send     ${formatUnits(order.amountIn, DAI.decimals)} DAI, fees ${formatUnits(fees, DAI.decimals)}`)
console.log(`receive  at least ${formatUnits(order.minAmountOut, USDC.decimals)} USDC at ${order.destination}`)

// 3. Sign what you checked: the order (EIP-712), and the authorization to run the delegate (EIP-7702).
const orderType =
  "address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId"
const signature = await account.signTypedData({
  domain: { name: "Service", version: "1", chainId, verifyingContract: account.address },
  types: {
    SweepOrder: orderType.split(",").map((member) => ({ type: member.split(" ")[0], name: member.split(" ")[1] }))
  },
  primaryType: "SweepOrder",
  message: order
})
const { nonce } = signing.authorization
const { r, s, yParity } = await account.signAuthorization({ address: delegate, chainId, nonce: Number(nonce) })

// 4. Submit, and wait for the end.
const authorization = { address: delegate, chainId, nonce, r, s, yParity }
await call("POST", "/intents", { quoteId: quote.id, signature, authorization })
let intent
do {
  await sleep(1_000)
  intent = await call("GET", `/intents/${quote.id}`)
  console.log(`status   ${intent.status}`)
} while (intent.status !== "delivered" && intent.status !== "failed")
console.log(`done     ${intent.txHash ?? intent.failureReason}`)
process.exitCode = intent.status === "delivered" ? 0 : 1
