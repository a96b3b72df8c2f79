// Sweeps 25 DAI to USDC on the local network with nothing but fetch and ethers: `node ethers-sweep.mjs path/to/.sweep/dev.json`
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { formatUnits, parseUnits, Wallet, ZeroAddress } from "ethers"

const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const [chain] = dev.chains
const { DAI, USDC } = chain.tokens
const wallet = new Wallet(dev.accounts[1].privateKey)

const call = async (method, path, body) => {
  const response = await fetch(`${dev.orchestratorUrl}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) })
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`)
  return answer
}

// The order's EIP-712 type, in signing order. Signed is what is built from it here, not what the service says is to be signed.
const types = {
  SweepOrder: Object.entries({
    owner: "address",
    tokenIn: "address",
    amountIn: "uint256",
    feeAmount: "uint256",
    builder: "address",
    builderFee: "uint256",
    tokenOut: "address",
    minAmountOut: "uint256",
    destination: "address",
    swapTarget: "address",
    swapCalldata: "bytes",
    deadline: "uint256",
    nonce: "uint256",
    destChainId: "uint256"
  }).map(([name, type]) => ({ name, type }))
}

const request = {
  owner: wallet.address,
  tokenIn: DAI.address,
  amountIn: parseUnits("25", DAI.decimals).toString(),
  tokenOut: USDC.address,
  destination: wallet.address,
  destChainId: chain.id,
  tier: "tier1",
  route: `${chain.name}->${chain.name}`,
  subscriptionActive: false,
  userId: wallet.address
}
const { order, quote, signing } = await call("POST", "/quote", request)

// Never sign what is not what you asked for.
const same = (a, b) => String(a).toLowerCase() === String(b).toLowerCase()
const must = (holds, what) => {
  if (!holds) throw new Error(`do not sign: ${what}`)
}
for (const field of ["owner", "tokenIn", "amountIn", "tokenOut", "destination", "destChainId"]) {
  must(same(order[field], request[field]), `${field} is ${order[field]}`)
}
const fees = BigInt(order.feeAmount) + BigInt(order.builderFee)
must(BigInt(quote.total) === fees && fees < BigInt(order.amountIn), `fees are ${fees}`)
must(same(order.builder, ZeroAddress) && order.builderFee === "0", `there is a builder, ${order.builder}`)
must(quote.sourceChainId === chain.id && quote.crossChain === false, `it runs on chain ${quote.sourceChainId}`)
must(order.minAmountOut === quote.minAmountOut && BigInt(order.minAmountOut) > 0n, "nothing is sure to arrive")
const now = Date.now() / 1000
must(Number(order.deadline) > now && Number(order.deadline) < now + 3600, `the deadline is ${order.deadline}`)
must(same(quote.settlementAddress, chain.delegate), `the delegate is ${quote.settlementAddress}`)

console.log(`send     ${formatUnits(order.amountIn, DAI.decimals)} DAI, fees ${formatUnits(fees, DAI.decimals)}`)
console.log(`receive  at least ${formatUnits(order.minAmountOut, USDC.decimals)} USDC at ${order.destination}`)

const domain = { name: "Service", version: "1", chainId: chain.id, verifyingContract: wallet.address }
const signature = await wallet.signTypedData(domain, types, order)
const authorization = await wallet.authorize({
  address: chain.delegate,
  chainId: chain.id,
  nonce: BigInt(signing.authorization.nonce)
})

await call("POST", "/intents", {
  quoteId: quote.id,
  signature,
  authorization: {
    address: authorization.address,
    chainId: Number(authorization.chainId),
    nonce: authorization.nonce.toString(),
    r: authorization.signature.r,
    s: authorization.signature.s,
    yParity: authorization.signature.yParity
  }
})

let intent
do {
  await sleep(1000)
  intent = await call("GET", `/intents/${quote.id}`)
  console.log(`status   ${intent.status}`)
} while (intent.status !== "delivered" && intent.status !== "failed")
console.log(`done     ${intent.txHash ?? intent.failureReason}`)
process.exitCode = intent.status === "delivered" ? 0 : 1
