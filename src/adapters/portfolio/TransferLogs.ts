/** Finds tokens by the `Transfer` events to the owner in recent blocks, from nodes that search logs of all contracts. */
import { Array, Effect, Option } from "effect"
import { pad } from "viem"
import * as Address from "../../domain/Address.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { TokenFinder } from "./TokenFinder.ts"

/** `Transfer(address,address,uint256)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" as const

/** Searches of one portfolio. An endpoint with narrow ranges gives the newest blocks only. */
const REQUESTS = 6

const HEAD_AGE_MILLIS = 60_000

/** Looks back over this number of blocks. */
export const make = (blocks: number): TokenFinder => ({
  name: "transfer-logs",
  find: Effect.fn("TransferLogs.find")(function* (client: ChainClient, owner: Address.Address) {
    const head = Option.getOrUndefined(yield* client.recentHead(HEAD_AGE_MILLIS))
    if (head === undefined) return []
    const from = head.number - BigInt(blocks) + 1n
    const { logs } = yield* client.logs({
      address: [],
      topics: [TRANSFER, null, pad(owner, { size: 32 })],
      fromBlock: from < 0n ? 0n : from,
      toBlock: head.number,
      order: "newest",
      requests: REQUESTS
    })
    // Events of collectibles (ERC-721) have a fourth topic.
    const tokens = logs.flatMap(({ address, topics }) => (topics.length === 3 ? [address] : []))
    return Array.dedupe(tokens).map((address) => ({ address: Address.of(address), isSpam: false }))
  })
})
