/**
 * Search for the mint of an attested message that Circle did not send. Nodes limit the blocks of a read, so a look may not come to the
 * mint's block. The next look continues where the last one ended, and one that came to the burn's time begins at the newest block again.
 */
import { Effect } from "effect"
import type { Address } from "../../domain/Address.ts"
import type { Hash } from "../../domain/Hex.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { Block, ChainClient } from "../../ports/shared/Chains.ts"
import { blockBefore } from "./Blocks.ts"
import * as CctpMessage from "./CctpMessage.ts"

/** Requests of one look. */
const REQUESTS = 8

/** Searches whose ends are kept. The oldest is forgotten for a new one, and begins again. */
const MOST_KEPT = 10_000

export interface Wanted {
  readonly transmitter: Address
  readonly nonce: Hash
  /** No mint is earlier, in UNIX seconds. */
  readonly notBefore: bigint
}

/** Makes a look for the transaction of a mint. Undefined if this look did not find it. */
export const make = () => {
  /** Newest block that the next look has to read, by transmitter and nonce. */
  const rests = LatestMap.make<string, bigint>(MOST_KEPT)

  return Effect.fn("CctpMintSearch.look")(function* (
    client: ChainClient,
    head: Block,
    { nonce, notBefore, transmitter }: Wanted
  ) {
    const key = `${client.chain.id}:${transmitter}:${nonce}`
    const lowest = yield* blockBefore(client, head, notBefore)
    const rest = rests.get(key)
    const { logs, unread } = yield* client.logs({
      fromBlock: lowest,
      toBlock: rest !== undefined && rest >= lowest && rest < head.number ? rest : head.number,
      address: transmitter,
      topics: CctpMessage.receivedTopics(nonce),
      order: "newest",
      until: () => true,
      requests: REQUESTS
    })
    const found = logs.at(0)?.transactionHash
    if (found === undefined && unread !== undefined) rests.set(key, unread.toBlock)
    else rests.delete(key)
    return found
  })
}
