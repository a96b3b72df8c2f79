/** The first generation of the contracts beside the current one, as an upgrade leaves it. */
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Deployment from "../../src/adapters/evm/contracts/Deployment.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import { DEFAULT_DOMAIN_NAME } from "../../src/domain/SweepOrder.ts"

/** Deploys the first generation, whose guard lists the router, the SpokePool and its periphery. Returns its addresses. */
export const deployFirst = Effect.fnUntraced(function* ({
  chain,
  deployer,
  node: local,
  spokePool,
  spokePoolPeriphery,
  uniswap
}: DevChain) {
  const { contracts, transactions } = Deployment.plan(
    {
      chainId: chain.id,
      guardOwner: deployer.address,
      timelockSeconds: 60,
      feeRecipient: chain.feeRecipient,
      wrappedNative: chain.wrappedNative,
      domainName: DEFAULT_DOMAIN_NAME,
      routers: [uniswap.swapRouter],
      bridges: [spokePool, spokePoolPeriphery]
    },
    1
  )
  const account = privateKeyToAccount(deployer.privateKey)
  for (const { contract, data, to } of transactions) {
    yield* local.ask(`deploy the first ${contract}`, async (node) => {
      const hash = await node.sendTransaction({ account, chain: node.chain, to, data })
      await node.waitForTransactionReceipt({ hash })
    })
  }
  const { delegate, entry, guard } = contracts
  return { delegate: delegate.address, entry: entry.address, guard: guard.address }
})
