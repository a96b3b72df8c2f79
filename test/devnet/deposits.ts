/** Deposits at a local network's bridge, and balances after them. */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { encodeFunctionData, erc20Abi, zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { spokePoolAbi } from "../../src/devnet/Across.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import type * as Accounts from "../../src/devnet/Accounts.ts"
import type * as Tokens from "../../src/devnet/Tokens.ts"

export const balance = (chain: DevChain, token: Tokens.Symbol, owner: Address.Address) =>
  chain.node.ask("balance", (client) =>
    client.readContract({ address: chain.tokens[token], abi: erc20Abi, functionName: "balanceOf", args: [owner] })
  )

export const nativeBalance = (chain: DevChain, address: Address.Address) =>
  chain.node.ask("balance", (client) => client.getBalance({ address }))

/** A fresh address, so that tests of one network do not see each other. */
export const somebody = (name: string) => Address.of(`0x${Buffer.from(name.padEnd(20, "!")).toString("hex")}`)

/** Deposits a user's tokens, and returns the delivery that the order asks for. */
export const deposit = Effect.fnUntraced(function* (
  origin: DevChain,
  destination: DevChain,
  options: {
    readonly user: Accounts.DevAccount
    readonly symbol: Tokens.Symbol
    readonly inputAmount: bigint
    readonly outputAmount: bigint
    readonly recipient: Address.Address
  }
) {
  const { inputAmount, outputAmount, recipient, symbol, user } = options
  const account = privateKeyToAccount(user.privateKey)
  const input = origin.tokens[symbol]
  yield* origin.node.ask("deposit", async (client) => {
    const { timestamp } = await client.getBlock()
    const send = async (to: Address.Address, data: `0x${string}`) => {
      const hash = await client.sendTransaction({ account, chain: client.chain, to, data })
      const receipt = await client.waitForTransactionReceipt({ hash })
      assert.strictEqual(receipt.status, "success")
    }
    const approval = { abi: erc20Abi, functionName: "approve", args: [origin.spokePool, inputAmount] } as const
    await send(input, encodeFunctionData(approval))
    await send(
      origin.spokePool,
      encodeFunctionData({
        abi: spokePoolAbi,
        functionName: "depositV3",
        args: [
          user.address,
          recipient,
          input,
          destination.tokens[symbol],
          inputAmount,
          outputAmount,
          BigInt(destination.chain.id),
          zeroAddress,
          Number(timestamp),
          Number(timestamp) + 3_600,
          0,
          "0x"
        ]
      })
    )
  })
})

export const eventually = <E, R>(check: Effect.Effect<boolean, E, R>) =>
  check.pipe(Effect.repeat({ schedule: Schedule.spaced("100 millis"), times: 1_000, until: (done) => done }))
