/** Transactions of a local chain's user, for tests that run for real what an adapter offers. */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, maxUint256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { DevAccount } from "../../../../src/devnet/Accounts.ts"
import type { DevChain } from "../../../../src/devnet/DevChain.ts"
import type * as Address from "../../../../src/domain/Address.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { isNative } from "../../../../src/domain/Token.ts"

export const asUser = ({ node }: DevChain, user: DevAccount) => {
  const account = privateKeyToAccount(user.privateKey)

  /** Sends and waits; the receipt may be that of a revert. */
  const send = (to: Address.Address, data: Hex, gas = 5_000_000n) =>
    Effect.orDie(
      node.ask("send as a user", async (client) => {
        const hash = await client.sendTransaction({ account, chain: client.chain, to, data, gas })
        return client.waitForTransactionReceipt({ hash })
      })
    )

  const approve = (token: Address.Address, spender: Address.Address) =>
    send(token, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, maxUint256] }))

  return { address: user.address, send, approve }
}

/** Of a token, or of the native currency. */
export const balanceOf = ({ node }: DevChain, token: Address.Address, owner: Address.Address) =>
  Effect.orDie(
    node.ask("balance", (client) =>
      isNative(token)
        ? client.getBalance({ address: owner })
        : client.readContract({ abi: erc20Abi, address: token, functionName: "balanceOf", args: [owner] })
    )
  )
