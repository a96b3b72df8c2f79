/**
 * Finds tokens by the `Transfer` events to the owner in recent blocks, from nodes that search logs of all contracts. Answers are kept for
 * some seconds, since a page asks for the same owner again and again, and each search is several requests.
 */
import { Cache, Duration, Effect, Option } from "effect"
import { pad } from "viem"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { type ChainClient, Chains, type ChainUnavailable } from "../../ports/shared/Chains.ts"
import { type Found, MOST, type TokenFinder } from "./TokenFinder.ts"

/** `Transfer(address,address,uint256)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" as const

/** Searches of one portfolio. An endpoint with narrow ranges gives the newest blocks only. */
const REQUESTS = 6

const HEAD_AGE_MILLIS = 60_000

/** Time for which an answer counts. A token that arrives meanwhile appears after it. */
const LIFETIME = Duration.seconds(15)

/** Owners of all chains whose answers are kept, each with at most {@link MOST} tokens. */
const CAPACITY = 1_000

interface Key {
  readonly chainId: ChainId
  readonly owner: Address.Address
}

const search = Effect.fnUntraced(function* (
  client: ChainClient,
  owner: Address.Address,
  blocks: number
): Effect.fn.Return<ReadonlyArray<Found>, ChainUnavailable> {
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
  const tokens = new Set(logs.flatMap(({ address, topics }) => (topics.length === 3 ? [address] : [])))
  return Array.from(tokens)
    .slice(0, MOST)
    .map((address) => ({ address: Address.of(address), isSpam: false }))
})

/** Looks back over this number of blocks. */
export const make = Effect.fnUntraced(function* (blocks: number) {
  const chains = yield* Chains
  const answers = yield* Cache.makeWith(
    ({ chainId, owner }: Key) => Effect.flatMap(chains.get(chainId), (client) => search(client, owner, blocks)),
    { capacity: CAPACITY, timeToLive: (exit) => (exit._tag === "Success" ? LIFETIME : Duration.zero) }
  )
  const finder: TokenFinder = {
    name: "transfer-logs",
    find: ({ chain }, owner) => Effect.withSpan(Cache.get(answers, { chainId: chain.id, owner }), "TransferLogs.find")
  }
  return finder
})
