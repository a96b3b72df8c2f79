/** Gives tokens to empty accounts, such as the new keys of the demo and of tests. */
import { Effect, Semaphore } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as Address from "../domain/Address.ts"
import type { Hex } from "../domain/Hex.ts"
import type { DevAccount } from "./Accounts.ts"
import { DevChainFailed, type LocalNode } from "./LocalNode.ts"
import * as Tokens from "./Tokens.ts"

export type Fund = (
  owner: Address.Address,
  gift: { readonly token: Tokens.Symbol | "ETH"; readonly amount: bigint }
) => Effect.Effect<void, DevChainFailed>

interface Payment {
  readonly to: Address.Address
  readonly data: Hex
  readonly value: bigint
}

const payment = (tokens: Tokens.Tokens, owner: Address.Address, { amount, token }: Parameters<Fund>[1]): Payment => {
  switch (token) {
    case "ETH":
      return { to: owner, data: "0x", value: amount }
    case "WETH":
      return {
        to: tokens.WETH,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [owner, amount] }),
        value: 0n
      }
    default:
      return { to: tokens[token], data: Tokens.mint(owner, amount), value: 0n }
  }
}

/** Gifts are sent one after another, so that nonces stay in order. They may be mined in one block. */
export const make = (node: LocalNode, tokens: Tokens.Tokens, deployer: DevAccount): Fund => {
  const account = privateKeyToAccount(deployer.privateKey)
  const sending = Semaphore.makeUnsafe(1)
  return Effect.fn("Faucet.fund")(function* (owner, gift) {
    const step = `give ${gift.token}`
    const hash = yield* sending.withPermits(1)(
      node.ask(step, async (client) => {
        const nonce = await client.getTransactionCount({ address: account.address, blockTag: "pending" })
        return client.sendTransaction({ account, chain: client.chain, nonce, ...payment(tokens, owner, gift) })
      })
    )
    const receipt = yield* node.ask(step, (client) => client.waitForTransactionReceipt({ hash }))
    if (receipt.status === "reverted") {
      return yield* new DevChainFailed({ chainId: node.chainId, step, detail: "reverted" })
    }
  })
}
