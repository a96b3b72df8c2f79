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
    tokenIn: tokenIn?.address ?? PLACEHOLDER,
    tokenOut: tokenOut?.address ?? PLACEHOLDER,
    amountIn: (10n ** BigInt(tokenIn?.decimals ?? 18)).toString()
  }
}

const typescript = (builder: Builder, facts: Facts): string => `import { privateKeyToAccount } from "viem/accounts"

const sweep = "${facts.url}"
const owner = privateKeyToAccount(process.env.OWNER_KEY)

const post = async (path, body) => {
  const response = await fetch(sweep + path, { method: "POST", body: JSON.stringify(body) })
  if (!response.ok) throw new Error(\`\${path}: \${response.status} \${await response.text()}\`)
  return response.json()
}

// 1. Quote. The key stays on your server and makes the sweep yours.
const { quote, order, signing } = await post("/quote", {
  owner: owner.address,
  tokenIn: "${facts.tokenIn}",
  amountIn: "${facts.amountIn}",
  tokenOut: "${facts.tokenOut}",
  destination: owner.address,
  destChainId: ${facts.chainId},
  tier: "tier1",
  route: "${facts.chain}->${facts.chain}",
  subscriptionActive: false,
  userId: "user-1",
  apiKey: process.env.SWEEP_API_KEY
})
console.assert(quote.builderId === "${builder.id}")

// 2. Show order.amountIn, quote.total, quote.minAmountOut, order.destination and order.deadline. Then sign, twice, off-chain.
const { EIP712Domain, ...types } = signing.typedData.types
const signature = await owner.signTypedData({ ...signing.typedData, types })
const signed = await owner.signAuthorization({
  contractAddress: signing.authorization.address,
  chainId: signing.authorization.chainId,
  nonce: Number(signing.authorization.nonce)
})

// 3. Submit, and follow it until it is delivered.
let intent = await post("/intents", {
  quoteId: quote.id,
  signature,
  authorization: {
    address: signed.address,
    chainId: signed.chainId,
    nonce: signed.nonce,
    r: signed.r,
    s: signed.s,
    yParity: signed.yParity
  }
})
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
