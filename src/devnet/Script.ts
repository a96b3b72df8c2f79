/**
 * A sequence of transactions of one account whose results are known in advance, because a contract's address follows from
 * the sender and its nonce. A whole chain is therefore set up in one block and with few requests.
 */
import { Effect } from "effect"
import { type Hash, getContractAddress } from "viem"
import * as Address from "../domain/Address.ts"
import type { Hex } from "../domain/Hex.ts"
import { BLOCK_GAS_LIMIT, DevChainFailed, type LocalNode } from "./LocalNode.ts"

interface Step {
  readonly label: string
  readonly to?: Address.Address
  readonly data: Hex
  readonly value: bigint
}

/** Enough gas for the largest contract. The limit of the block is lifted while a script runs. */
const STEP_GAS = 20_000_000n

export class Script {
  readonly sender: Address.Address
  readonly #steps: Array<Step> = []

  /** An empty script of an account whose nonce is 0. */
  constructor(sender: Address.Address) {
    this.sender = sender
  }

  get steps(): ReadonlyArray<Step> {
    return this.#steps
  }

  /** Deploys creation code and returns the address that the contract will have. */
  deploy(label: string, data: Hex): Address.Address {
    const nonce = BigInt(this.#steps.length)
    this.#steps.push({ label: `deploy ${label}`, data, value: 0n })
    return Address.of(getContractAddress({ from: this.sender, nonce }))
  }

  call(label: string, to: Address.Address, data: Hex, value = 0n): void {
    this.#steps.push({ label, to, data, value })
  }
}

/** Runs all steps in one block, without the sender's key. Fails with the first step that reverts. */
export const run = Effect.fn("Script.run")(function* (
  chain: LocalNode,
  script: Script
): Effect.fn.Return<void, DevChainFailed> {
  const { ask } = chain
  yield* ask("prepare", async (client) => {
    await Promise.all([
      client.setAutomine(false),
      client.setBlockGasLimit({ gasLimit: STEP_GAS * BigInt(script.steps.length + 1) }),
      client.impersonateAccount({ address: script.sender })
    ])
  })
  const hashes = yield* ask("send", (client) =>
    Promise.all(
      script.steps.map(({ data, to, value }, nonce) =>
        client.sendTransaction({
          account: script.sender,
          chain: null,
          data,
          value,
          gas: STEP_GAS,
          nonce,
          ...(to === undefined ? {} : { to })
        })
      )
    )
  )
  yield* ask("mine", (client) => client.mine({ blocks: 1 }))
  yield* requireSuccess(chain, script, hashes)
  yield* ask("restore", async (client) => {
    await Promise.all([
      client.setBlockGasLimit({ gasLimit: BLOCK_GAS_LIMIT }),
      client.stopImpersonatingAccount({ address: script.sender }),
      client.setAutomine(true)
    ])
  })
})

const requireSuccess = Effect.fnUntraced(function* (chain: LocalNode, script: Script, hashes: ReadonlyArray<Hash>) {
  const receipts = yield* chain.ask("receipts", (client) =>
    Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
  )
  const failed = receipts.findIndex((receipt) => receipt.status === "reverted")
  if (failed >= 0) {
    return yield* new DevChainFailed({
      chainId: chain.chainId,
      step: script.steps[failed]?.label ?? "",
      detail: "reverted"
    })
  }
})
