// Sweeps with the MCP server's tools: `node agent.mjs path/to/.sweep/dev.json path/to/sweep [token|wallet]`
// `token` sweeps 25 DAI into USDC. `wallet` sweeps tokens of two chains with one signature. Default: token.
// The agent calls the tools. The owner's wallet checks and signs, and the agent never sees its key.
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { readOffer, readSweepQuotes, reviewOrder, reviewSweepQuotes, signBatch, signReviewed } from "token-sweep"
import { VENUE_ROUTERS } from "token-sweep/venues"
import { formatUnits, parseUnits } from "viem"
import { privateKeyToAccount } from "viem/accounts"

const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const command = process.argv[3] ?? "./sweep"
const mode = process.argv[4] ?? "token"
const FOLLOW_SECONDS = 300
const [chain, other] = dev.chains
const { DAI, USDC } = chain.tokens

const byChain = (valueOf) => Object.fromEntries(dev.chains.map((each) => [each.id, valueOf(each)]))

/** Amount of a token as people read it. */
const shown = ({ amount, chainId, token }) => {
  const { tokens } = dev.chains.find(({ id }) => id === chainId)
  const [symbol, { decimals }] = Object.entries(tokens).find(
    ([, each]) => each.address.toLowerCase() === token.toLowerCase()
  )
  return `${formatUnits(amount, decimals)} ${symbol}`
}

/** The owner's wallet. It knows the delegates from its own configuration, and trusts neither the agent nor the service. */
const makeWallet = (key) => {
  const account = privateKeyToAccount(key)
  const limits = {
    delegates: byChain(({ delegate }) => delegate),
    routers: { ...VENUE_ROUTERS, ...byChain(({ swapRouter }) => swapRouter) },
    bridges: byChain(({ spokePool, tokens }) => ({ spokePool, tokens: { USDC: tokens.USDC.address } })),
    maxFeeBps: 1_000
  }
  const show = ({ fees, receive, send }) =>
    console.log(
      `owner    send ${shown(send)}, fees ${shown({ ...send, amount: fees.total })}, ` +
        `receive at least ${shown({ ...receive, amount: receive.minAmount })}?`
    )
  return {
    address: account.address,
    sign: async (request, quoted) => {
      const review = reviewOrder(readOffer(quoted), request, limits)
      show(review)
      return signReviewed(review, account)
    },
    signAll: async (request, quoted) => {
      const review = reviewSweepQuotes(readSweepQuotes(quoted), request, limits)
      for (const leg of review.legs) show(leg)
      for (const { reason, token } of review.leftOut) console.log(`owner    leave out ${token}: ${reason}`)
      return signBatch(review, account)
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

/** Resolves with the last known status, after {@link FOLLOW_SECONDS} at the latest. The sweep may still end after that. */
const follow = async (id) => {
  let intent
  for (let seconds = 0; seconds < FOLLOW_SECONDS; seconds++) {
    await sleep(1_000)
    intent = await call("get_intent_status", { id })
    if (intent.status === "delivered" || intent.status === "failed") break
  }
  console.log(`done     ${intent.status} ${intent.txHash ?? intent.failureReason ?? "not ended yet"}`)
  return intent.status
}

/** One token. Resolves with the status of its intent. */
const sweepToken = async () => {
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
  return [await follow(signed.quoteId)]
}

/** Tokens of two chains, under one signature. Resolves with the status of each intent. */
const sweepWallet = async () => {
  const wallet = makeWallet(dev.accounts[8].privateKey)
  const request = {
    owner: wallet.address,
    tokenOut: USDC.address,
    destination: wallet.address,
    destChainId: chain.id,
    tokens: [
      {
        chainId: chain.id,
        token: DAI.address,
        amount: parseUnits("25", DAI.decimals),
        minAmountOut: parseUnits("22", USDC.decimals)
      },
      {
        chainId: other.id,
        token: other.tokens.USDC.address,
        amount: parseUnits("40", other.tokens.USDC.decimals),
        minAmountOut: parseUnits("36", USDC.decimals)
      }
    ]
  }
  const quoted = await call("sweep_quotes", {
    ...request,
    // The minimum is for the wallet's review alone.
    tokens: request.tokens.map(({ amount, chainId, token }) => ({ chainId, token, amount: amount.toString() })),
    subscriptionActive: false,
    userId: "agent"
  })
  const signed = await wallet.signAll(request, quoted)
  const { intents } = await call("submit_sweep", signed)
  const statuses = []
  for (const { id } of intents) statuses.push(await follow(id))
  return statuses
}

try {
  const { tools } = await client.listTools()
  console.log(`tools    ${tools.map(({ name }) => name).join(", ")}`)
  const statuses = await (mode === "wallet" ? sweepWallet() : sweepToken())
  process.exitCode = statuses.every((status) => status === "delivered") ? 0 : 1
} finally {
  await client.close()
}
