/** A snapshot of a chain's tip, so that one pass decides everything by the same blocks. */
import { Effect, Option } from "effect"
import { type Block, type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"

export interface ChainView {
  readonly client: ChainClient
  readonly head: Block
  /** The newest confirmed block; none on a chain that is shorter than its `confirmations`. */
  readonly confirmed: Option.Option<Block>
}

/** The node's logs, receipts and blocks disagree, as during a reorganisation or behind a load balancer. Decide nothing now. */
export const inconsistent = (client: ChainClient) =>
  new ChainUnavailable({
    chainId: client.chain.id,
    method: "eth_getTransactionReceipt",
    detail: "the node's logs, receipts and blocks disagree"
  })

/**
 * Reads the head, which may be `maxAgeMillis` old, and the newest confirmed block. Fails with {@link ChainUnavailable} when the
 * node lacks one of them. Default: the head is asked for.
 */
export const look = Effect.fnUntraced(function* (
  client: ChainClient,
  maxAgeMillis = 0
): Effect.fn.Return<ChainView, ChainUnavailable> {
  const head = yield* maxAgeMillis === 0 ? client.block("latest") : client.recentHead(maxAgeMillis)
  if (Option.isNone(head)) {
    return yield* new ChainUnavailable({ chainId: client.chain.id, method: "eth_getBlockByNumber", detail: "no head" })
  }
  const deep = head.value.number - BigInt(client.chain.confirmations) + 1n
  if (deep === head.value.number) return { client, head: head.value, confirmed: head }
  if (deep < 0n) return { client, head: head.value, confirmed: Option.none() }
  const confirmed = yield* client.block(deep)
  // The endpoint that answered is behind the one that has the head. Without the block nothing would count as confirmed.
  if (Option.isNone(confirmed)) return yield* inconsistent(client)
  return { client, head: head.value, confirmed }
})

/** True when the block with this number is confirmed. */
export const isDeep = ({ confirmed }: ChainView, blockNumber: bigint): boolean =>
  Option.exists(confirmed, (block) => block.number >= blockNumber)

/** True when every future block is later than `deadline` (UNIX seconds), also after a reorganisation. */
export const isPast = ({ confirmed }: ChainView, deadline: bigint): boolean =>
  Option.exists(confirmed, (block) => block.timestamp > deadline)
