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

/** True for the same block at the same time. */
const isSameBlock = (a: Option.Option<Block>, b: Option.Option<Block>): boolean =>
  Option.isSome(a) && Option.isSome(b)
    ? a.value.number === b.value.number && a.value.hash === b.value.hash && a.value.timestamp === b.value.timestamp
    : Option.isNone(a) && Option.isNone(b)

/**
 * Reads the head, which may be `maxAgeMillis` old, and the newest confirmed block. Its time ends sweeps, so a second endpoint has to agree.
 * Fails with {@link ChainUnavailable} if it does not, and when the node lacks one of the blocks. Default: the head is asked for.
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
  const confirmed = yield* client.corroborated(client.block(deep), {
    isSame: isSameBlock,
    isUnknown: Option.isNone,
    blockOf: () => deep
  })
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

/** Seconds that block times may vary by between the confirmed block and the head. */
const UNEVEN_SECONDS = 60n

/** Block times that each block after the confirmed one may take on average. */
const SLOW = 3

/** Time up to which the confirmed block bears out that of the head, in UNIX seconds. */
const plausibleTime = ({ client: { chain }, confirmed, head }: ChainView): bigint => {
  if (Option.isNone(confirmed)) return head.timestamp
  const { number, timestamp } = confirmed.value
  const millis = Number(head.number - number) * SLOW * chain.blockTimeMillis
  return timestamp + BigInt(Math.ceil(millis / 1_000)) + UNEVEN_SECONDS
}

/**
 * True when the head is later than `deadline` (UNIX seconds). A head is the word of one endpoint, and a time in the future would cancel
 * sweeps that can still settle. So one that is late for its height counts only if another endpoint has it, or none answers.
 */
export const isHeadPast = (view: ChainView, deadline: bigint): Effect.Effect<boolean> => {
  const { client, head } = view
  if (head.timestamp <= deadline) return Effect.succeed(false)
  if (plausibleTime(view) > deadline) return Effect.succeed(true)
  // An endpoint that does not have the head contradicts it, whatever its height.
  const same = client.corroborated(client.block(head.number), {
    isSame: isSameBlock,
    isUnknown: Option.isNone,
    blockOf: () => 0n
  })
  return Effect.match(same, {
    onFailure: () => false,
    onSuccess: Option.exists((block) => block.hash === head.hash && block.timestamp > deadline)
  })
}
