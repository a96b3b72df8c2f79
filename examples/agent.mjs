// What an agent does with the MCP server, as a script: `node agent.mjs path/to/.sweep/dev.json path/to/sweep`
// The agent calls tools; the owner's wallet, which the agent never sees into, reviews and signs.
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { privateKeyToAccount } from "viem/accounts"

const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const command = process.argv[3] ?? "./sweep"
const [chain] = dev.chains
const { DAI, USDC } = chain.tokens

/** The wallet: looks at what it is asked to sign, and asks its owner. */
const makeWallet = (key) => {
  const account = privateKeyToAccount(key)
  return {
    address: account.address,
    sign: async (request, { order, quote, signing }) => {
      const same = (a, b) => String(a).toLowerCase() === String(b).toLowerCase()
      for (const field of ["owner", "tokenIn", "amountIn", "tokenOut", "destination", "destChainId"]) {
        if (!same(order[field], request[field])) throw new Error(`do not sign: ${field} is ${order[field]}`)
      }
      if (!same(signing.authorization.address, chain.delegate)) throw new Error("do not sign: an unknown delegate")
      const { authorization, typedData } = signing
      if (!Object.keys(order).every((field) => same(order[field], typedData.message[field]))) {
        throw new Error("do not sign: the typed data is not the order's")
      }
      console.log(
        `owner    is asked: send ${order.amountIn}, fees ${quote.total}, receive at least ${quote.minAmountOut}?`
      )
      const signed = await account.signAuthorization({
        address: authorization.address,
        chainId: authorization.chainId,
        nonce: Number(authorization.nonce)
      })
      return {
        signature: await account.signTypedData(typedData),
        authorization: {
          address: signed.address,
          chainId: signed.chainId,
          nonce: signed.nonce,
          r: signed.r,
          s: signed.s,
          yParity: signed.yParity
        }
      }
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
  // A failed tool says what to do next: a model reads it and goes on from there.
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
    amountIn: "25000000000000000000",
    tokenOut: USDC.address,
    destination: wallet.address,
    destChainId: chain.id,
    tier: "tier1",
    route: `${chain.name}->${chain.name}`,
    subscriptionActive: false,
    userId: "agent"
  }
  const offer = await call("get_quote", request)
  const signed = await wallet.sign(request, offer)
  await call("submit_signed", { quoteId: offer.quote.id, ...signed })

  let intent
  do {
    await sleep(1000)
    intent = await call("get_intent_status", { id: offer.quote.id })
  } while (intent.status !== "delivered" && intent.status !== "failed")
  console.log(`done     ${intent.status} ${intent.txHash ?? intent.failureReason}`)
  process.exitCode = intent.status === "delivered" ? 0 : 1
} finally {
  await client.close()
}
