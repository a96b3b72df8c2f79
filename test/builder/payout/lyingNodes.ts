/** Scripted endpoints of one chain that may say different things about the recorded payment of a batch. */
import { Effect } from "effect"
import { keccak256, numberToHex, pad, toHex, zeroHash } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { type PayoutBatch, TRANSFER } from "../../../src/domain/Payout.ts"
import { permitNonce } from "../../../src/domain/PayoutPayment.ts"
import type { Node as Scripted } from "../../adapters/evm/rpc/scriptedNodes.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { DEADLINE, signed } from "./versionScene.ts"

const [TOKEN, PAYEE, VAULT] = [FakeChain.address(0xd1), FakeChain.address(0x80), FakeChain.chain.builderVault]

const account = privateKeyToAccount(generatePrivateKey())

/** The account that signed the payment. */
export const SIGNER = Address.of(account.address)

const unsent: PayoutBatch = {
  id: "batch",
  chainId: FakeChain.chain.id,
  token: TOKEN,
  status: "open",
  minAmount: 0n,
  total: 5n,
  lines: [{ builderId: "alpha", payoutAddress: PAYEE, amount: 5n, entries: 1 }],
  createdAtMs: 0
}

/** The batch with its recorded payment. */
export const recorded = Effect.map(signed(unsent, account), (raw): PayoutBatch => ({
  ...unsent,
  payments: [{ txHash: keccak256(raw), raw, deadline: DEADLINE, recordedAtMs: 0 }]
}))

/** Everything that an endpoint says. */
export interface View {
  readonly head: number
  /** UNIX seconds of every block. */
  readonly seconds: number
  readonly isSpent: boolean
  /** Receipt of the payment. Undefined: none. */
  readonly receipt?:
    | {
        readonly block: number
        readonly status: "0x0" | "0x1"
        readonly paid: bigint
        readonly gas?: number
      }
    | undefined
  /** The vault's transaction count. Default: 0. */
  readonly count?: number
  /** Transactions of each block. Default: none. */
  readonly lists?: ReadonlyArray<Hash>
}

const hashOf = (block: number): Hash => keccak256(numberToHex(block))

const logOf = (transactionHash: Hash, block: number, amount: bigint) => ({
  address: TOKEN,
  topics: [TRANSFER, pad(VAULT, { size: 32 }), pad(PAYEE, { size: 32 })],
  data: toHex(amount, { size: 32 }),
  blockNumber: numberToHex(block),
  blockHash: hashOf(block),
  transactionHash,
  logIndex: "0x0"
})

const receiptOf = (transactionHash: Hash, { block, gas = 1, paid, status }: NonNullable<View["receipt"]>) => ({
  transactionHash,
  blockNumber: numberToHex(block),
  blockHash: hashOf(block),
  status,
  gasUsed: numberToHex(gas),
  effectiveGasPrice: "0x1",
  logs: status === "0x0" ? [] : [logOf(transactionHash, block, paid)]
})

export const saying = ({ count = 0, head, isSpent, lists = [], receipt, seconds }: View): Scripted => {
  const blockAt = (tag: unknown) => {
    const number = tag === "latest" ? head : Number(tag)
    if (number > head) return null
    return {
      number: numberToHex(number),
      hash: hashOf(number),
      parentHash: zeroHash,
      timestamp: numberToHex(seconds),
      gasLimit: "0x1"
    }
  }
  return (method, params) => {
    switch (method) {
      case "eth_blockNumber":
        return { result: numberToHex(head) }
      case "eth_getBlockByNumber":
        return { result: blockAt(params[0]) }
      case "eth_getTransactionReceipt":
        return { result: receipt === undefined ? null : receiptOf(params[0] as Hash, receipt) }
      case "eth_getBlockByHash":
        return { result: { transactions: lists } }
      case "eth_getTransactionCount":
        return { result: numberToHex(count) }
      case "eth_feeHistory":
        return { result: { baseFeePerGas: ["0x1"], reward: [["0x1"]] } }
      case "eth_call":
        if (Number(params[1]) > head) return { error: { code: -32_000, message: "header not found" } }
        return { result: toHex(isSpent ? 1n << (permitNonce(unsent.id) & 0xffn) : 0n, { size: 32 }) }
      default:
        return { error: { code: -32_601, message: "not scripted" } }
    }
  }
}

export const silent: Scripted = () => "refuse connection"
