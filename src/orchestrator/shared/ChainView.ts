/** One look at a chain's tip, so that everything decided in a pass is decided by the same blocks. */
import { Effect, Option } from "effect"
import { type Block, type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"

export interface ChainView {
  readonly client: ChainClient
  readonly head: Block
  /** The newest block with enough blocks on it to count; none on a chain that is still shorter than that. */
  readonly confirmed: Option.Option<Block>
}

export const look = Effect.fnUntraced(function* (client: ChainClient): Effect.fn.Return<ChainView, ChainUnavailable> {
  const head = yield* client.block("latest")
  if (Option.isNone(head)) {
    return yield* new ChainUnavailable({ chainId: client.chain.id, method: "eth_getBlockByNumber", detail: "no head" })
  }
  const deep = head.value.number - BigInt(client.chain.confirmations) + 1n
  if (deep === head.value.number) return { client, head: head.value, confirmed: head }
  return { client, head: head.value, confirmed: deep < 0n ? Option.none() : yield* client.block(deep) }
})

/** Whether a block of this number has enough blocks on it to count. */
export const isDeep = ({ confirmed }: ChainView, blockNumber: bigint): boolean =>
  Option.exists(confirmed, (block) => block.number >= blockNumber)

/** Whether every block that can still come is later than `deadline` (UNIX seconds), reorganisations included. */
export const isPast = ({ confirmed }: ChainView, deadline: bigint): boolean =>
  Option.exists(confirmed, (block) => block.timestamp > deadline)

/** Logs, receipts and blocks disagree, as in a reorg or behind a load balancer: nothing may be concluded now. */
export const inconsistent = (client: ChainClient) =>
  new ChainUnavailable({
    chainId: client.chain.id,
    method: "eth_getTransactionReceipt",
    detail: "the node's logs, receipts and blocks disagree"
  })
