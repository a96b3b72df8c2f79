// Sweeps 25 DAI into USDC with the MCP server's tools: `node agent.mjs path/to/.sweep/dev.json path/to/sweep`
// The agent calls the tools. The owner's wallet checks and signs, and the agent never sees its key.
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { readOffer, reviewOrder, signReviewed } from "token-sweep"
import { formatUnits, parseUnits } from "viem"
import { privateKeyToAccount } from "viem/accounts"

const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const command = process.argv[3] ?? "./sweep"
const [chain] = dev.chains
const { DAI, USDC } = chain.tokens

/** The owner's wallet. It knows the delegate from its own configuration, and trusts neither the agent nor the service. */
const makeWallet = (key) => {
  const account = privateKeyToAccount(key)
  const limits = {
    delegates: { [chain.id]: chain.delegate },
    routers: { [chain.id]: chain.swapRouter },
    maxFeeBps: 1_000
  }
  return {
    address: account.address,
    sign: async (request, quoted) => {
      const review = reviewOrder(readOffer(quoted), request, limits)
      const { fees, receive, send } = review
      console.log(
        `owner    send ${formatUnits(send.amount, DAI.decimals)} DAI, fees ${formatUnits(fees.total, DAI.decimals)}, ` +
          `receive at least ${formatUnits(receive.minAmount, USDC.decimals)} USDC?`
      )
      return signReviewed(review, account)
    }
  }
}

const client = new Client({ name: "example-agent", version: "1.0.0" })
await client.connect(
  new StdioClientTransport({
    command,
    args: ["mcp"],
    env: {
      ...process.env,
      SERVICE_ORCHESTRATOR_URL: dev.orchestratorUrl,
      SERVICE_BUILDER_URL: dev.builderUrl
    },
    stderr: "ignore"
  })
)

const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  // The text of a failed tool says what to do next.
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`)
  console.log(`tool     ${name}`)
  return result.structuredContent
}

try {
  const { tools } = await client.listTools()
  console.log(`tools    ${tools.map(({ name }) => name).join(", ")}`)

  const wallet = makeWallet(dev.accounts[6].privateKey)
  const request = {
    owner: wallet.address,
    tokenIn: DAI.address,
    amountIn: parseUnits("25", DAI.decimals),
    tokenOut: USDC.address,
    destination: wallet.address,
    destChainId: chain.id,
    sourceChainId: chain.id,
    minAmountOut: parseUnits("22", USDC.decimals)
  }
  const quoted = await call("get_quote", {
    owner: request.owner,
    tokenIn: request.tokenIn,
    amountIn: request.amountIn.toString(),
    tokenOut: request.tokenOut,
    destination: request.destination,
    destChainId: request.destChainId,
    tier: "tier1",
    route: `${chain.name}->${chain.name}`,
    subscriptionActive: false,
    userId: "agent"
  })
  const signed = await wallet.sign(request, quoted)
  await call("submit_signed", signed)

  let intent
  do {
    await sleep(1_000)
    intent = await call("get_intent_status", { id: signed.quoteId })
  } while (intent.status !== "delivered" && intent.status !== "failed")
  console.log(`done     ${intent.status} ${intent.txHash ?? intent.failureReason}`)
  process.exitCode = intent.status === "delivered" ? 0 : 1
} finally {
  await client.close()
}
