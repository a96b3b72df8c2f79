/** Reads of a long chain, piece by piece: a client limits the size of an answer, and a node the requests at the same time. */
import { Array as Arr } from "effect"
import type { Hex } from "viem"
import type { LocalNodeClient } from "../src/devnet/LocalNode.ts"

const BLOCKS = 500n

/** Requests at the same time. */
const TOGETHER = 200

/** Logs of a contract from a block to the newest one. */
export const logsSince = async (client: LocalNodeClient, address: Hex, fromBlock: bigint) => {
  const head = await client.getBlockNumber()
  const logs: Array<Awaited<ReturnType<typeof client.getLogs>>[number]> = []
  for (let from = fromBlock; from <= head; from += BLOCKS) {
    const to = from + BLOCKS - 1n
    logs.push(...(await client.getLogs({ address, fromBlock: from, toBlock: to < head ? to : head })))
  }
  return logs
}

/** Asks about each item, in their order. */
export const each = async <A, B>(items: ReadonlyArray<A>, ask: (item: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const answers: Array<B> = []
  for (const some of Arr.chunksOf(items, TOGETHER)) answers.push(...(await Promise.all(some.map(ask))))
  return answers
}
