/** A snapshot of a chain's tip, so that one pass decides everything by the same blocks. */
import { Clock, Effect, Equal, Option } from "effect"
import { staleAfterSeconds, toleratedBlocks } from "../../domain/HeadLag.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type Block, type ChainClient, ChainUnavailable, type Receipt } from "../../ports/shared/Chains.ts"

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

/** Adds to a contradiction what the endpoints differ on. */
export const about =
  (subject: string) =>
  <A>(read: Effect.Effect<A, ChainUnavailable>): Effect.Effect<A, ChainUnavailable> =>
    Effect.mapError(read, (failure) =>
      failure.isContradiction === true
        ? new ChainUnavailable({
            chainId: failure.chainId,
            method: failure.method,
            detail: `${failure.detail} about ${subject}`,
            isContradiction: true
          })
        : failure
    )

/** True for receipts that settle the same. Nodes tell gas and fees in different ways. */
const isSameReceipt = (a: Option.Option<Receipt>, b: Option.Option<Receipt>): boolean => {
  const [one, other] = [a, b].map(
    Option.map(({ blockHash, logs, status, transactionHash }) => ({ blockHash, logs, status, transactionHash }))
  )
  return Equal.equals(one, other)
}

/** Reads a receipt, with its comparison with that of a second endpoint. */
export const attestedReceipt = (client: ChainClient, hash: Hash, scope?: "everywhere") =>
  Effect.map(
    client.attested(client.receipt(hash, scope), { isSame: isSameReceipt, isUnknown: Option.isNone }),
    ({ answer, corroborate }) => ({ answer, corroborate: about(`the receipt of ${hash}`)(corroborate) })
  )

/** True for the same block at the same time. */
const isSameBlock = (a: Option.Option<Block>, b: Option.Option<Block>): boolean =>
  Option.isSome(a) && Option.isSome(b)
    ? a.value.number === b.value.number && a.value.hash === b.value.hash && a.value.timestamp === b.value.timestamp
    : Option.isNone(a) && Option.isNone(b)

/** Reads a block that a second endpoint has too, unless that one hangs. `known`: the block as an endpoint gave it before. */
const agreedBlock = (client: ChainClient, number: bigint, known?: Option.Option<Block>) => {
  let unread = known
  const read = Effect.suspend(() => {
    const before = unread
    unread = undefined
    return before === undefined ? client.block(number) : Effect.succeed(before)
  })
  return client.corroborated(read, {
    isSame: isSameBlock,
    isUnknown: Option.isNone,
    // An endpoint that follows the chain and lacks the block contradicts it, even if it lags only a little.
    blockOf: () => number + toleratedBlocks(client.chain.blockTimeMillis)
  })
}

/** The view of a chain with this head, whose newest confirmed block has `below` more blocks above it than necessary. */
const viewAt = Effect.fnUntraced(function* (
  client: ChainClient,
  head: Block,
  below = 0n
): Effect.fn.Return<ChainView, ChainUnavailable> {
  const deep = head.number - BigInt(client.chain.confirmations) + 1n - below
  if (deep < 0n) return { client, head, confirmed: Option.none() }
  const confirmed = yield* agreedBlock(client, deep, deep === head.number ? Option.some(head) : undefined)
  // The endpoint that answered is behind the one that has the head. Without the block nothing would count as confirmed.
  if (Option.isNone(confirmed)) return yield* inconsistent(client)
  return { client, head, confirmed }
})

/** The lower one of the heads of two endpoints. None if only one of them answers. */
const lowerHead = Effect.fnUntraced(function* (client: ChainClient, head: Block) {
  const seen: Array<Block> = []
  let isFirst = true
  const read = Effect.suspend(() => {
    // No endpoint is known to have given this head. So each of two is asked for its own.
    if (!isFirst)
      return Effect.tap(client.block("latest"), (found) => Effect.sync(() => seen.push(...Option.toArray(found))))
    isFirst = false
    return Effect.succeedSome(head)
  })
  yield* client.corroborated<Option.Option<Block>>(read, { isSame: () => true, isUnknown: Option.isNone })
  const [one, other] = seen
  if (one === undefined || other === undefined) return Option.none<Block>()
  return Option.some(seen.reduce((lowest, each) => (each.number < lowest.number ? each : lowest), one))
})

/** Runs `then` if two endpoints contradict each other. */
const onContradiction =
  (then: (failure: ChainUnavailable) => Effect.Effect<ChainView, ChainUnavailable>) =>
  (view: Effect.Effect<ChainView, ChainUnavailable>): Effect.Effect<ChainView, ChainUnavailable> =>
    Effect.catch(view, (failure) => (failure.isContradiction === true ? then(failure) : Effect.fail(failure)))

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
 * False if the head is so old, by the confirmed block that both endpoints have, that the chain would be stale. `found`: the head that one of
 * them contradicts. Its time may be in the future, so the clock limits it.
 */
const isCurrent = Effect.fnUntraced(function* (view: ChainView, found: Block) {
  // The lower head is the answer of one endpoint. On a shorter chain than the found one nothing bears out its time.
  if (Option.isNone(view.confirmed)) return false
  const now = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1_000))
  const expected = found.timestamp < now ? found.timestamp : now
  return plausibleTime(view) + BigInt(Math.ceil(staleAfterSeconds(view.client.chain))) >= expected
})

/**
 * Reads the head, which may be `maxAgeMillis` old, and the newest confirmed block. Its time ends sweeps, so a second endpoint has to agree.
 * One that names a block which the chain does not have yet could choose its time. So where the other endpoint lacks it, the lower head of
 * both counts, and if they have different blocks there, a confirmed block that is deeper by as much as honest heads differ. Fails with
 * {@link ChainUnavailable} if they do not agree on that either, if that head is stale, and when the node lacks one of the blocks. Default:
 * the head is asked for.
 */
export const look = Effect.fnUntraced(function* (
  client: ChainClient,
  maxAgeMillis = 0
): Effect.fn.Return<ChainView, ChainUnavailable> {
  const found = yield* maxAgeMillis === 0 ? client.block("latest") : client.recentHead(maxAgeMillis)
  if (Option.isNone(found)) {
    return yield* new ChainUnavailable({ chainId: client.chain.id, method: "eth_getBlockByNumber", detail: "no head" })
  }
  const fromLower = Effect.fnUntraced(function* (failure: ChainUnavailable) {
    const lower = yield* lowerHead(client, found.value)
    if (Option.isNone(lower)) return yield* failure
    const deeper = viewAt(client, lower.value, toleratedBlocks(client.chain.blockTimeMillis))
    const view = yield* onContradiction(() => deeper)(viewAt(client, lower.value))
    // An endpoint that stays at an old block would stop the chain without an alert.
    return (yield* isCurrent(view, found.value)) ? view : yield* failure
  })
  return yield* onContradiction(fromLower)(viewAt(client, found.value))
})

/** True when the block with this number is confirmed. */
export const isDeep = ({ confirmed }: ChainView, blockNumber: bigint): boolean =>
  Option.exists(confirmed, (block) => block.number >= blockNumber)

/** True when every future block is later than `deadline` (UNIX seconds), also after a reorganisation. */
export const isPast = ({ confirmed }: ChainView, deadline: bigint): boolean =>
  Option.exists(confirmed, (block) => block.timestamp > deadline)

/**
 * True when the head is later than `deadline` (UNIX seconds). A head is the answer of one endpoint, and a time in the future would cancel
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
