/**
 * Money of an attacker: one account that pays for contracts, pools and transactions, and owners that it endows. Everything that the
 * network gives is written down, so that the cost of an attack is what was given less what is left.
 */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, type Hex, parseAbi, parseEther, type PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import { units } from "../../src/devnet/Tokens.ts"
import * as Address from "../../src/domain/Address.ts"
import type { Place } from "../Holdings.ts"
import { PRICED, type Priced, weiOf } from "./Money.ts"
import * as Sender from "./Sender.ts"

const ENDOWMENT = parseEther("1000")

/** Owners that one call endows. */
const ENDOWED = 60

const multicall3Abi = parseAbi([
  "struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call3Value[] calls) payable returns (Result[])"
])

const transferData = (to: Hex, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })

/** Call of Multicall3 that does nothing yet. */
const CALL = { allowFailure: false, value: 0n, callData: "0x" } as const

/** Value of all that the accounts hold, in wei. */
const wealthOf = ({ node, tokens }: DevChain, accounts: ReadonlyMap<Hex, unknown>) =>
  node.ask("count an attacker's money", async (client) => {
    const held = await Promise.all(
      [...accounts.keys()].flatMap((address) => [
        client.getBalance({ address }),
        ...PRICED.map(async (symbol) =>
          weiOf(
            symbol,
            await client.readContract({
              address: tokens[symbol],
              abi: erc20Abi,
              functionName: "balanceOf",
              args: [address]
            })
          )
        )
      ])
    )
    return held.reduce((sum, value) => sum + value, 0n)
  })

export const make = Effect.fnUntraced(function* ({ dev }: Place) {
  const { node } = dev
  const account = privateKeyToAccount(generatePrivateKey())
  const accounts = new Map<Hex, PrivateKeyAccount>([[account.address, account]])
  const { authorize, send } = Sender.make(dev, account)
  let given = 0n

  const giveNative = Effect.fnUntraced(function* (to: PrivateKeyAccount, value: bigint) {
    accounts.set(to.address, to)
    given += value
    yield* node.ask("endow an attacker", (client) => client.setBalance({ address: to.address, value }))
  })

  /** Whole tokens. */
  const giveToken = Effect.fnUntraced(function* (to: PrivateKeyAccount, token: Priced, whole: bigint) {
    const amount = units(token, whole)
    accounts.set(to.address, to)
    given += weiOf(token, amount)
    yield* dev.fund(Address.of(to.address), { token, amount })
  })

  /** Sends and waits until it is mined. Fails if it reverts. Returns the receipt. */
  const run = (step: string, call: Sender.Call, from?: PrivateKeyAccount) =>
    node.ask(step, async (client) => {
      const receipt = await client.waitForTransactionReceipt({ hash: await send(call, from) })
      if (receipt.status !== "success") throw new Error("reverted")
      return receipt
    })

  /**
   * Endows owners as an attacker has to, by transactions that pay for each new account and each first balance. One contract sends
   * everything and the tip is the least, which is the cheapest way.
   */
  const endow = Effect.fnUntraced(function* (
    owners: ReadonlyArray<PrivateKeyAccount>,
    each: { readonly native: bigint; readonly token: Priced; readonly whole: bigint }
  ) {
    const amount = units(each.token, each.whole)
    const token = dev.tokens[each.token]
    yield* giveToken(account, each.token, each.whole * BigInt(owners.length))
    for (const owner of owners) accounts.set(owner.address, owner)
    const to = dev.chain.multicall3
    const total = amount * BigInt(owners.length)
    yield* run("hand tokens over", {
      to: token,
      tip: 1n,
      data: transferData(to, total)
    })
    for (let start = 0; start < owners.length; start += ENDOWED) {
      const some = owners.slice(start, start + ENDOWED)
      const calls = some.flatMap(({ address }) => [
        { ...CALL, target: address, value: each.native },
        { ...CALL, target: token, callData: transferData(address, amount) }
      ])
      yield* run("endow owners", {
        to,
        tip: 1n,
        value: each.native * BigInt(some.length),
        data: encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3Value", args: [calls] })
      })
    }
  })

  yield* giveNative(account, ENDOWMENT)
  return {
    account,
    giveNative,
    giveToken,
    endow,
    authorize,
    send,
    run,
    /** Given less left, in wei. */
    cost: Effect.map(wealthOf(dev, accounts), (left) => given - left)
  }
})

export type Purse = Effect.Success<ReturnType<typeof make>>
