// Sweeps 25 DAI to USDC on the local network: `node node-sweep.mjs path/to/.sweep/dev.json`
import { readFile } from "node:fs/promises"
import { createSweepClient, SweepError } from "token-sweep"
import { formatUnits, parseUnits } from "viem"
import { privateKeyToAccount } from "viem/accounts"

const dev = JSON.parse(await readFile(process.argv[2] ?? ".sweep/dev.json", "utf8"))
const [chain] = dev.chains
const { DAI, USDC } = chain.tokens
const account = privateKeyToAccount(dev.accounts[1].privateKey)

const client = createSweepClient({
  orchestratorUrl: dev.orchestratorUrl,
  // The account will run the delegate, so an order with another one than you know is refused.
  review: { delegates: { [chain.id]: chain.delegate }, maxFeeBps: 1_000 }
})

const show = ({ send, fees, receive, deadline, warnings }) => {
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
      route: `${chain.name}->${chain.name}`
    },
    account,
    { confirm: show, onProgress: ({ status }) => console.log(`status   ${status}`) }
  )
  console.log(`done     ${result?.intent.txHash}`)
} catch (error) {
  if (!(error instanceof SweepError)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = 1
}
