/** Tokens, balances and transfers on a chain of the local network, read and sent as an ordinary wallet would. */
import { Effect } from "effect"
import { createPublicClient, createWalletClient, erc20Abi, http, type PublicClient } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as Address from "../../domain/Address.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { DevChain, DevInfo } from "../DevInfo.ts"
import { attempt, DemoFailed } from "./DemoFailed.ts"
import type { TokenAmount } from "./Events.ts"

const POLL_MILLIS = 400

export interface Token {
  readonly address: Address.Address
  readonly symbol: string
  readonly decimals: number
}

/** The token of this symbol on the chain. `ETH` is the native currency. */
export const tokenOf = (chain: DevChain, symbol: string): Effect.Effect<Token, DemoFailed> => {
  if (symbol === "ETH") return Effect.succeed({ address: NATIVE, symbol, decimals: 18 })
  const known = chain.tokens[symbol]
  return known === undefined
    ? Effect.fail(new DemoFailed({ detail: `${chain.name} has no token ${symbol}` }))
    : Effect.succeed({ ...known, symbol })
}

/** An amount of the token, in its smallest unit. */
export const amountOf = (token: Token, amount: bigint): TokenAmount => ({ amount, ...token })

/** Balance in the smallest unit. */
export const balanceOf = (node: PublicClient, token: Address.Address, account: Address.Address) =>
  attempt("reading a balance", () =>
    token === NATIVE
      ? node.getBalance({ address: account })
      : node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] })
  )

/** Gives the owner exactly the amount to sweep, from one of the network's funded accounts, and nothing for gas. */
export const fund = Effect.fnUntraced(function* (
  info: DevInfo,
  chain: DevChain,
  token: Token,
  owner: Address.Address,
  amount: bigint
) {
  const giver = info.accounts[0]
  if (giver === undefined) return yield* new DemoFailed({ detail: "the local network has no funded account" })
  const wallet = createWalletClient({ account: privateKeyToAccount(giver.privateKey), transport: http(chain.rpcUrl) })
  const node = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: POLL_MILLIS })
  yield* attempt("funding the owner", async () => {
    const hash =
      token.address === NATIVE
        ? await wallet.sendTransaction({ to: owner, value: amount, chain: null })
        : await wallet.writeContract({
            address: token.address,
            abi: erc20Abi,
            functionName: "transfer",
            args: [owner, amount],
            chain: null
          })
    await node.waitForTransactionReceipt({ hash })
  })
})
