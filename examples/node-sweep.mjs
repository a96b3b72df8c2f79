// Sweeps 25 DAI into USDC with the client: `node node-sweep.mjs path/to/.sweep/dev.json`
import { readFile } from "node:fs/promises"
import { createSweepClient, SweepError } from "token-sweep"
import { VENUE_ROUTERS } from "token-sweep/venues"
import { formatUnits, parseUnits } from "viem"
import { privateKeyToAccount } from "viem/accounts"

// Your configuration. The operator publishes the delegate of each chain; never take it from a response.
const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const [chain] = dev.chains
const { DAI, USDC } = chain.tokens
const account = privateKeyToAccount(dev.accounts[1].privateKey)

const client = createSweepClient({
  orchestratorUrl: dev.orchestratorUrl,
  // The account will run the delegate, so the client refuses every other one.
  review: {
    delegates: { [chain.id]: chain.delegate },
    // The routers of exchanges on public chains, and that of the local one.
    routers: { ...VENUE_ROUTERS, [chain.id]: chain.swapRouter },
    maxFeeBps: 1_000
  }
})

const confirm = ({ deadline, fees, receive, send, warnings }) => {
  console.log(`send     ${formatUnits(send.amount, DAI.decimals)} DAI on chain ${send.chainId}`)
  console.log(
    `fees     ${formatUnits(fees.protocol, DAI.decimals)} protocol, ${formatUnits(fees.builder, DAI.decimals)} builder`
  )
  console.log(`receive  at least ${formatUnits(receive.minAmount, USDC.decimals)} USDC on chain ${receive.chainId}`)
  console.log(`to       ${receive.destination}, until ${deadline.toISOString()}`)
  for (const warning of warnings) console.log(`note     ${warning}`)
  return true // Ask your user here.
}

try {
  const result = await client.sweep(
    {
      owner: account.address,
      tokenIn: DAI.address,
      amountIn: parseUnits("25", DAI.decimals),
      tokenOut: USDC.address,
      destChainId: chain.id,
      sourceChainId: chain.id,
      minAmountOut: parseUnits("22", USDC.decimals),
      route: `${chain.name}->${chain.name}`
    },
    account,
    { confirm, onProgress: ({ status }) => console.log(`status   ${status}`) }
  )
  console.log(`done     ${result?.intent.txHash}`)
} catch (error) {
  if (!(error instanceof SweepError)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = 1
}
