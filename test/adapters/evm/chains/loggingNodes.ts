/** Nodes that serve logs, and what is read of them. */
import { keccak256, numberToHex, zeroHash } from "viem"
import type { LogFilter, ReadLogs } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node } from "../rpc/scriptedNodes.ts"

export const emitter = address(0x77)

/** A log in every tenth block. */
const logAt = (block: number) => ({
  address: emitter,
  topics: [zeroHash],
  data: "0x",
  blockNumber: numberToHex(block),
  blockHash: keccak256(numberToHex(block)),
  transactionHash: keccak256(numberToHex(block)),
  logIndex: "0x0",
  removed: false
})

const block = {
  hash: `0x${"11".repeat(32)}`,
  parentHash: `0x${"22".repeat(32)}`,
  timestamp: "0x1",
  baseFeePerGas: "0x7",
  gasLimit: "0x1c9c380"
}

export const inRange = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((block) => block % 10 === 0)

/** A node that returns logs of `cap` blocks at once, and says so in the given way. */
export const capped =
  (cap: number, code = -32_005, message: string | undefined = "block range is too wide"): Node =>
  (method, params) => {
    if (method === "eth_blockNumber") return { result: "0x2710" }
    const [filter] = params as ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string }>
    const [from, to] = [Number(filter?.fromBlock), Number(filter?.toBlock)]
    return to - from + 1 > cap ? { error: { code, message } } : { result: inRange(from, to).map(logAt) }
  }

export const range = (fromBlock: number, toBlock: number, options: Partial<LogFilter> = {}): LogFilter => ({
  address: emitter,
  topics: [zeroHash],
  fromBlock: BigInt(fromBlock),
  toBlock: BigInt(toBlock),
  ...options
})

export const reads = (log: ReadonlyArray<string>) => log.filter((entry) => entry.endsWith("eth_getLogs")).length

/** A node that returns the logs that it has, for any range. */
export const withHead =
  (head: () => number): Node =>
  (method, params) => {
    if (method === "eth_getBlockByNumber") {
      return { result: { ...block, number: numberToHex(head()) } }
    }
    if (method === "eth_blockNumber") return { result: numberToHex(head()) }
    const [filter] = params as ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string }>
    return { result: inRange(Number(filter?.fromBlock), Math.min(Number(filter?.toBlock), head())).map(logAt) }
  }

/** `two` has the newest head and serves no logs. The head of `one` is the given one. */
export const split = (head: () => number, newest = 100) =>
  network({
    one: withHead(head),
    two: (method, params) =>
      method === "eth_getLogs"
        ? { error: { code: -32_601, message: "the method eth_getLogs is not available" } }
        : withHead(() => newest)(method, params)
  })

export const blocksOf = ({ logs }: ReadLogs) => logs.map(({ blockNumber }) => Number(blockNumber))
