/** Code for a builder to copy and run, with the builder's id and this deployment's addresses. */
import type { Builder } from "../../domain/Builder.ts"
import type { DeploymentView } from "../../api/builder/DeploymentApi.ts"

export interface Snippet {
  readonly name: string
  readonly code: string
}

interface Facts {
  readonly url: string
  readonly chainId: number
  readonly chain: string
  readonly delegate: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: string
}

const PLACEHOLDER = "0x0000000000000000000000000000000000000000"

const factsOf = (deployment: DeploymentView): Facts => {
  const chain = deployment.chains.find(({ tokens }) => tokens.length > 1) ?? deployment.chains[0]
  const [tokenOut, tokenIn] = chain?.tokens ?? []
  return {
    url: deployment.orchestratorUrl ?? "https://your-orchestrator",
    chainId: chain?.id ?? 8453,
    chain: chain?.name ?? "base",
    delegate: chain?.delegate ?? PLACEHOLDER,
    tokenIn: tokenIn?.address ?? PLACEHOLDER,
    tokenOut: tokenOut?.address ?? PLACEHOLDER,
    amountIn: (10n ** BigInt(tokenIn?.decimals ?? 18)).toString()
  }
}

const typescript = (builder: Builder, facts: Facts): string => `import { privateKeyToAccount } from "viem/accounts"

const sweep = "${facts.url}"
const chainId = ${facts.chainId}
const delegate = "${facts.delegate}" // compare it with the operator's documentation
const owner = privateKeyToAccount(process.env.OWNER_KEY)

const post = async (path, body) => {
  const response = await fetch(sweep + path, { method: "POST", body: JSON.stringify(body) })
  if (!response.ok) throw new Error(\`\${path}: \${response.status} \${await response.text()}\`)
  return response.json()
}

// 1. Quote. The key stays on your server and makes the sweep yours.
const request = {
  owner: owner.address,
  tokenIn: "${facts.tokenIn}",
  amountIn: "${facts.amountIn}",
  tokenOut: "${facts.tokenOut}",
  destination: owner.address,
  destChainId: chainId,
  tier: "tier1",
  route: "${facts.chain}->${facts.chain}",
  subscriptionActive: false,
  userId: "user-1",
  apiKey: process.env.SWEEP_API_KEY
}
const { quote, order, signing } = await post("/quote", request)
if (quote.builderId !== "${builder.id}") throw new Error("the quote is not attributed to you")

// 2. Check the order against the request. Show the person the fees, order.minAmountOut and order.deadline.
const must = (holds, problem) => {
  if (!holds) throw new Error(\`do not sign: \${problem}\`)
}
const same = (a, b) => String(a).toLowerCase() === String(b).toLowerCase()
for (const field of ["owner", "tokenIn", "amountIn", "tokenOut", "destination", "destChainId"]) {
  must(same(order[field], request[field]), \`\${field} is \${order[field]}\`)
}
const fees = BigInt(order.feeAmount) + BigInt(order.builderFee)
must(fees * 10n <= BigInt(order.amountIn), \`fees are \${fees}\`)
must(BigInt(order.builderFee) === 0n || same(order.builder, "${builder.payoutAddress}"), \`the builder is \${order.builder}\`)
must(BigInt(order.minAmountOut) > 0n, "nothing is guaranteed to arrive: set the least that you accept")
const now = Math.floor(Date.now() / 1000)
must(order.deadline > now && order.deadline <= now + 3600, \`deadline is \${order.deadline}\`)
must(quote.sourceChainId === chainId && same(quote.settlementAddress, delegate), "chain or delegate is another")

// 3. Sign what you checked: the order (EIP-712) and the authorization of the delegate (EIP-7702).
const orderType =
  "address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId"
const SweepOrder = orderType.split(",").map((member) => ({ type: member.split(" ")[0], name: member.split(" ")[1] }))
const signature = await owner.signTypedData({
  domain: { name: "Service", version: "1", chainId, verifyingContract: owner.address },
  types: { SweepOrder },
  primaryType: "SweepOrder",
  message: order
})
const nonce = Number(signing.authorization.nonce)
const { r, s, yParity } = await owner.signAuthorization({ address: delegate, chainId, nonce })

// 4. Submit, and poll until the sweep is delivered or failed.
const authorization = { address: delegate, chainId, nonce, r, s, yParity }
let intent = await post("/intents", { quoteId: quote.id, signature, authorization })
while (intent.status !== "delivered" && intent.status !== "failed") {
  await new Promise((resolve) => setTimeout(resolve, 3000))
  intent = await (await fetch(\`\${sweep}/intents/\${quote.id}\`)).json()
}
console.log(intent.status, intent.txHash)`

const curl = (builder: Builder, facts: Facts): string => `# The answer names you: "builderId": "${builder.id}"
curl -s ${facts.url}/quote -d '{
  "owner": "${builder.payoutAddress}",
  "tokenIn": "${facts.tokenIn}",
  "amountIn": "${facts.amountIn}",
  "tokenOut": "${facts.tokenOut}",
  "destination": "${builder.payoutAddress}",
  "destChainId": ${facts.chainId},
  "tier": "tier1",
  "route": "${facts.chain}->${facts.chain}",
  "subscriptionActive": false,
  "userId": "user-1",
  "apiKey": "'$SWEEP_API_KEY'"
}'`

export const snippets = (builder: Builder, deployment: DeploymentView): ReadonlyArray<Snippet> => {
  const facts = factsOf(deployment)
  return [
    { name: "TypeScript", code: typescript(builder, facts) },
    { name: "curl", code: curl(builder, facts) }
  ]
}
