/**
 * Money of an attacker: one account that pays for contracts, pools and transactions, and owners that it endows. Everything that the
 * network gives is written down, so that the cost of an attack is what was given less what is left.
 */
import { Effect } from "effect"
import {
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  parseEther,
  parseGwei,
  type PrivateKeyAccount,
  type SignedAuthorization
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { units } from "../../src/devnet/Tokens.ts"
import type { Place } from "../Holdings.ts"
import { PRICED, type Priced, weiOf } from "./Money.ts"

export interface Call {
  /** Absent: deploys `data`. */
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  /** Gas limit. Default: estimated. */
  readonly gas?: bigint
  /** Priority fee in wei per gas. Default: 1 gwei. */
  readonly tip?: bigint
}

/** Above every base fee of a run. */
const FEE_CAP = parseGwei("2000")

const ENDOWMENT = parseEther("1000")

/** Gas limit of a deployment. */
const DEPLOYMENT_GAS = 6_000_000n

/** Owners that one call endows. */
const ENDOWED = 60

const multicall3Abi = parseAbi([
  "struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call3Value[] calls) payable returns (Result[])"
])

/** Gas of one authorization of an account that exists or not (EIP-7702). */
const AUTHORIZATION_GAS = 25_000n

export const make = Effect.fnUntraced(function* ({ dev }: Place) {
  const { node } = dev
  const account = privateKeyToAccount(generatePrivateKey())
  const accounts = new Map<Hex, PrivateKeyAccount>([[account.address, account]])
  const nonces = new Map<Hex, number>()
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

  /** Nonces are counted here, since nodes differ in what they call pending. */
  const nextNonce = async (from: PrivateKeyAccount): Promise<number> => {
    const first = nonces.get(from.address) ?? (await node.client.getTransactionCount({ address: from.address }))
    // Others may have taken nonces meanwhile.
    const nonce = nonces.get(from.address) ?? first
    nonces.set(from.address, nonce + 1)
    return nonce
  }

  /** Sends without waiting for a block. */
  const send = async (call: Call, from: PrivateKeyAccount = account): Promise<Hex> => {
    const raw = await from.signTransaction({
      type: "eip1559",
      chainId: dev.chain.id,
      nonce: await nextNonce(from),
      gas: call.gas ?? DEPLOYMENT_GAS,
      maxFeePerGas: FEE_CAP,
      maxPriorityFeePerGas: call.tip ?? parseGwei("1"),
      ...(call.to === undefined ? {} : { to: call.to }),
      ...(call.data === undefined ? {} : { data: call.data }),
      ...(call.value === undefined ? {} : { value: call.value })
    })
    return node.client.sendRawTransaction({ serializedTransaction: raw })
  }

  /** Sends a transaction that only carries authorizations (EIP-7702). */
  const authorize = async (authorizations: ReadonlyArray<SignedAuthorization>, tip: bigint): Promise<Hex> => {
    const raw = await account.signTransaction({
      type: "eip7702",
      chainId: dev.chain.id,
      nonce: await nextNonce(account),
      to: account.address,
      gas: 21_000n + AUTHORIZATION_GAS * BigInt(authorizations.length),
      maxFeePerGas: FEE_CAP,
      maxPriorityFeePerGas: tip,
      authorizationList: [...authorizations]
    })
    return node.client.sendRawTransaction({ serializedTransaction: raw })
  }

  /** Sends and waits until it is mined. Fails if it reverts. Returns the receipt. */
  const run = (step: string, call: Call, from?: PrivateKeyAccount) =>
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
      data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, total] })
    })
    for (let start = 0; start < owners.length; start += ENDOWED) {
      const some = owners.slice(start, start + ENDOWED)
      const calls = some.flatMap(({ address }) => [
        { target: address, allowFailure: false, value: each.native, callData: "0x" as const },
        {
          target: token,
          allowFailure: false,
          value: 0n,
          callData: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [address, amount] })
        }
      ])
      yield* run("endow owners", {
        to,
        tip: 1n,
        value: each.native * BigInt(some.length),
        data: encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3Value", args: [calls] })
      })
    }
  })

  /** Value of all that the attacker's accounts hold, in wei. */
  const wealth = node.ask("count an attacker's money", async (client) => {
    const held = await Promise.all(
      [...accounts.keys()].flatMap((address) => [
        client.getBalance({ address }),
        ...PRICED.map(async (symbol) =>
          weiOf(
            symbol,
            await client.readContract({
              address: dev.tokens[symbol],
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
    cost: Effect.map(wealth, (left) => given - left)
  }
})

export type Purse = Effect.Success<ReturnType<typeof make>>
