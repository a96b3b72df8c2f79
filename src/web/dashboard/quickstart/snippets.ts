/** Code for a builder to copy and run, with the builder's id and this deployment's addresses. */
import type { DeploymentView } from "../../../api/builder/DeploymentApi.ts"
import type { Builder } from "../../../domain/Builder.ts"
import { NATIVE } from "../../lib/native.ts"
import { REQUESTS } from "./requests.ts"
import { SWAP_CHECK_IMPORTS, swapCheck } from "./swapCheck.ts"

export interface Snippet {
  readonly name: "SDK" | "Widget" | "HTTP" | "MCP"
  /** Name of the file that the code is saved in. */
  readonly file: string
  /** Instructions to run it, after the file is saved. */
  readonly run: string
  readonly code: string
}

export interface Options {
  readonly builder: Builder
  readonly deployment: DeploymentView
  /** URL of the builder backend. */
  readonly builderUrl: string
  /** Key to put into code that has no environment. Default: a placeholder. */
  readonly apiKey?: string
}

interface Facts extends Required<Options> {
  readonly url: string
  readonly chainId: number
  readonly chain: string
  readonly delegate: string
  readonly routers: DeploymentView["chains"][number]["routers"]
  readonly tokenIn: string
  readonly tokenInSymbol: string
  readonly tokenOut: string
  readonly tokenOutSymbol: string
  readonly amountIn: string
  readonly amountInUnits: string
  /** EIP-712 domain name of orders. Undefined if the deployment is an earlier version, which does not state it. */
  readonly domainName: string | undefined
  /** Least amount to receive, in the smallest unit. 0 if the tokens' prices are not known. */
  readonly least: bigint
}

/** As that of the domain, which needs schemas and a hash. */
const DEFAULT_DOMAIN_NAME = "Service"

const PLACEHOLDER = "0x0000000000000000000000000000000000000000"

export const KEY_PLACEHOLDER = "swp_YOUR_KEY"

/** Tokens of about a dollar, the likeliest to be held first. */
const DOLLARS = ["USDC", "USDT", "DAI"]

/**
 * The token to receive, the token to send, an amount of the latter that is worth a sweep but is not much, and the least to receive. Native
 * currency is none of them: the code over HTTP reads no call that unwraps it.
 */
const tokensOf = (chain: DeploymentView["chains"][number] | undefined) => {
  const tokens = chain?.tokens.filter(({ address }) => address !== NATIVE) ?? []
  const [to, from] = DOLLARS.flatMap((symbol) => tokens.find((token) => token.symbol === symbol) ?? [])
  return to !== undefined && from !== undefined
    ? { to, from, units: 25n, least: 20n * 10n ** BigInt(to.decimals) }
    : { to: tokens[0], from: tokens[1], units: 1n, least: 0n }
}

const factsOf = ({ apiKey = KEY_PLACEHOLDER, builder, builderUrl, deployment }: Options): Facts => {
  const chain = deployment.chains.find(({ tokens }) => tokens.length > 1) ?? deployment.chains[0]
  const { from, least, to, units } = tokensOf(chain)
  return {
    apiKey,
    builder,
    builderUrl,
    deployment,
    url: deployment.orchestratorUrl ?? "https://your-orchestrator",
    chainId: chain?.id ?? 8453,
    chain: chain?.name ?? "base",
    delegate: chain?.delegate ?? PLACEHOLDER,
    routers: chain?.routers ?? [],
    domainName: deployment.domainName,
    tokenIn: from?.address ?? PLACEHOLDER,
    tokenInSymbol: from?.symbol ?? "the token",
    tokenOut: to?.address ?? PLACEHOLDER,
    tokenOutSymbol: to?.symbol ?? "USDC",
    amountIn: (units * 10n ** BigInt(from?.decimals ?? 18)).toString(),
    amountInUnits: units.toString(),
    least
  }
}

const leastOf = ({ least, tokenOutSymbol }: Facts): string =>
  `const LEAST = ${least}n // ${least === 0n ? "set it to " : ""}the least amount of ${JSON.stringify(tokenOutSymbol)} that you accept, in its smallest unit`

/** Option of a review, with the separator after it. */
const domainOption = ({ domainName }: Facts, separator: string): string =>
  domainName === undefined ? "" : `domainName: ${JSON.stringify(domainName)},${separator}`

const sdk = (facts: Facts): string => {
  const { amountIn, chain, chainId, delegate, routers, tokenIn, tokenOut, url } = facts
  return `import { createSweepClient } from "token-sweep"
import { readVenueCall } from "token-sweep/venues"
import { privateKeyToAccount } from "viem/accounts"

const owner = privateKeyToAccount(process.env.OWNER_KEY)
${leastOf(facts)}

// Facts of your own, which every order is checked against. Compare them with the operator's documentation.
const client = createSweepClient({
  orchestratorUrl: "${url}",
  apiKey: process.env.SWEEP_API_KEY,
  review: {
    ${domainOption(facts, "\n    ")}delegates: { ${chainId}: "${delegate}" },
    routers: {
      ${chainId}: {
        ${routers.map(({ address }) => `"${address}": readVenueCall`).join(",\n        ")}
      }
    },
    maxFeeBps: 1_000
  }
})

const { intent } = await client.sweep(
  {
    owner: owner.address,
    tokenIn: "${tokenIn}",
    amountIn: ${amountIn}n,
    tokenOut: "${tokenOut}",
    destChainId: ${chainId},
    sourceChainId: ${chainId},
    minAmountOut: LEAST,
    route: "${chain}->${chain}"
  },
  owner,
  {
    // Show the facts to your user, and return the decision.
    confirm: ({ fees, receive }) => {
      console.log(\`fees \${fees.total}, yours \${fees.builder}, receive at least \${receive.minAmount}\`)
      return true
    }
  }
)
console.log(intent.status, intent.txHash)`
}

const widget = (facts: Facts): string => {
  const { apiKey, builder, chainId, deployment, tokenOutSymbol, url } = facts
  return `import "token-sweep/react/styles.css"
import { createRoot } from "react-dom/client"
import { SweepWidget } from "token-sweep/react"

// The delegates that the widget accepts. Compare them with the operator's documentation.
const review = {
  ${domainOption(facts, "\n  ")}delegates: {
    ${deployment.chains.map(({ delegate, id }) => `${id}: "${delegate}"`).join(",\n    ")}
  }
} as const
const defaults = { tokenOut: ${JSON.stringify(tokenOutSymbol)}, chainId: ${chainId} }

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <SweepWidget
    orchestratorUrl="${url}"
    apiKey="${apiKey}" // everybody can read it here, so it must be a key that may only quote
    builderName={${JSON.stringify(builder.name)}}
    review={review}
    defaults={defaults}
    onDelivered={({ id }) => console.log("delivered", id)}
  />
)`
}

const http = ({ builder, ...facts }: Facts): string => `import { ${SWAP_CHECK_IMPORTS} } from "viem"
import { privateKeyToAccount } from "viem/accounts"

const sweep = "${facts.url}"
const chainId = ${facts.chainId}
const delegate = "${facts.delegate}" // compare it with the operator's documentation
const owner = privateKeyToAccount(process.env.OWNER_KEY)
${leastOf({ builder, ...facts })}

${REQUESTS}

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
// If the operator pays you in batches, order.builder is the operator's vault instead.
must(BigInt(order.builderFee) === 0n || same(order.builder, "${builder.payoutAddress}"), \`the builder is \${order.builder}\`)
must(LEAST > 0n, "LEAST is not set")
must(BigInt(order.minAmountOut) >= LEAST, \`the minimum is \${order.minAmountOut}\`)
const now = Math.floor(Date.now() / 1000)
must(order.deadline > now && order.deadline <= now + 3600, \`deadline is \${order.deadline}\`)
must(quote.sourceChainId === chainId && same(quote.settlementAddress, delegate), "chain or delegate is another")
${swapCheck(facts.routers)}

// 3. Sign what you checked: the order (EIP-712) and the authorization of the delegate (EIP-7702).
const orderType =
  "address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId"
const SweepOrder = orderType.split(",").map((member) => ({ type: member.split(" ")[0], name: member.split(" ")[1] }))
const signature = await owner.signTypedData({
  domain: { name: ${JSON.stringify(facts.domainName ?? DEFAULT_DOMAIN_NAME)}, version: "1", chainId, verifyingContract: owner.address },
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
  await pause()
  // A failed poll says nothing about the sweep, unless its id is unknown.
  const response = await ask(\`/intents/\${quote.id}\`)
  if (response?.status === 404) throw new Error("the service does not know the sweep")
  if (response?.ok) intent = (await response.json().catch(() => undefined)) ?? intent
}
console.log(intent.status, intent.txHash)`

const mcp = ({ apiKey, builderUrl, url }: Facts): string =>
  JSON.stringify(
    {
      mcpServers: {
        "token-sweep": {
          command: "sweep",
          args: ["mcp"],
          env: { SERVICE_ORCHESTRATOR_URL: url, SERVICE_BUILDER_URL: builderUrl, SERVICE_API_KEY: apiKey }
        }
      }
    },
    null,
    2
  )

export const snippets = (options: Options): ReadonlyArray<Snippet> => {
  const facts = factsOf(options)
  const owner = `OWNER_KEY is the private key of an account that holds ${facts.amountInUnits} ${facts.tokenInSymbol} on ${facts.chain}, and SWEEP_API_KEY is your key`
  return [
    {
      name: "SDK",
      file: "sweep.mjs",
      run: `Run node sweep.mjs in a project with token-sweep and viem. ${owner}.`,
      code: sdk(facts)
    },
    {
      name: "Widget",
      file: "main.tsx",
      run: "Load it as a module of a page, with any bundler, in a project with token-sweep, react, react-dom and viem.",
      code: widget(facts)
    },
    {
      name: "HTTP",
      file: "sweep.mjs",
      run: `Run node sweep.mjs in a project with viem. ${owner}.`,
      code: http(facts)
    },
    {
      name: "MCP",
      file: ".mcp.json",
      run: "Give it to your MCP client. The command sweep is the launcher of the checkout, so put its directory into the PATH.",
      code: mcp(facts)
    }
  ]
}
