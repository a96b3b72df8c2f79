/**
 * Finds the event of a fill that the pool's state has proved. Most fills are in the newest blocks. An older one is located by the
 * pool's state in past blocks, which takes one read of logs in one block. If a node has no past state, the logs are searched from
 * the newest block back, as far as one look allows, and the next look continues there.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type BlockRange, type ChainClient, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import * as AcrossBought from "./AcrossBought.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import * as AcrossPurchase from "./AcrossPurchase.ts"
import { blockBefore } from "./Blocks.ts"

/** Maximum difference between the clocks of two chains, in seconds. Relayers fill within seconds of the deposit. */
const CLOCK_SKEW_SECONDS = 900n

/** Newest blocks that are searched first, and the requests for it. */
const NEWEST = { blocks: 100n, requests: 12 }

/** Requests for the logs of older blocks in one look. */
const REQUESTS = 40

/** Time in which a search must end, in milliseconds. It is much shorter than that of a look, which otherwise loses the proof. */
const SEARCH_MILLIS = 20_000

/** Time for the newest blocks, and for past states, in milliseconds. It leaves half of the search for older blocks. */
const SHORTCUT_MILLIS = 5_000

export interface Search {
  /** The destination chain. */
  readonly client: ChainClient
  readonly pool: Address.Address
  readonly relay: AcrossDeposit.Relay
  /** A block at whose end the deposit is filled. No newer block has the event. */
  readonly head: Block
  /** True if the deposit is filled as of the end of that block. */
  readonly isFilledAt: (block: bigint) => Effect.Effect<boolean, ChainUnavailable>
  /** Newest block that was not searched in earlier looks. */
  readonly searchFrom: bigint | undefined
}

/**
 * The first block after `lowest` in which the deposit is filled. Goes back from the newest block by steps that double, since nodes
 * keep the state of recent blocks only, and then halves the interval. None if the node lacks the state of a block.
 */
const locate = ({ head, isFilledAt }: Search, lowest: bigint) =>
  Effect.gen(function* () {
    let filled = head.number
    let unfilled = lowest
    for (let step = 1n; head.number - step > lowest; step *= 2n) {
      const block = head.number - step
      if (!(yield* isFilledAt(block))) {
        unfilled = block
        break
      }
      filled = block
    }
    while (filled - unfilled > 1n) {
      const middle = (filled + unfilled) / 2n
      if (yield* isFilledAt(middle)) filled = middle
      else unfilled = middle
    }
    return Option.some(filled)
  }).pipe(Effect.catchTag("ChainUnavailable", () => Effect.succeed(Option.none<bigint>())))

/**
 * The delivery of a fill. After a swap on arrival, the logs that follow the fill tell what the recipient got. Fails while no node has
 * them, so that the search does not go on to older blocks.
 */
const deliveryOf = Effect.fnUntraced(function* ({ client, pool, relay }: Search, fill: Log, amountOut: bigint) {
  const { message, recipient: handler } = relay.deposit
  const txHash = fill.transactionHash
  const purchase = message === undefined ? undefined : Option.getOrUndefined(AcrossPurchase.decode(message))
  if (purchase === undefined) return Option.some<Delivery>({ _tag: "Delivered", txHash, amountOut })
  const receipt = Option.getOrUndefined(yield* ConfirmedReceipt.find(client, txHash))
  if (receipt === undefined) {
    return yield* new ChainUnavailable({
      chainId: client.chain.id,
      method: "eth_getTransactionReceipt",
      detail: `the receipt of ${txHash}, whose log is confirmed, is missing`
    })
  }
  const { logs } = receipt
  const after = logs.slice(logs.findIndex(({ logIndex }) => logIndex === fill.logIndex) + 1)
  const next = after.findIndex((log) => log.address === pool && log.topics[0] === fill.topics[0])
  const outcome = AcrossBought.outcomeOf(next === -1 ? after : after.slice(0, next), handler, purchase)
  return Option.map(outcome, (known): Delivery =>
    known._tag === "Bought"
      ? { _tag: "Delivered", txHash, amountOut: known.amount }
      : { _tag: "DeliveredInstead", txHash, token: known.token, amount: amountOut }
  )
})

/** Reads the fill's event in a range, newest blocks first. */
const readRange = Effect.fnUntraced(function* (search: Search, range: BlockRange, requests?: number) {
  const { client, pool, relay } = search
  const amountOf = (log: Parameters<typeof AcrossDeposit.filledAmount>[0]) =>
    AcrossDeposit.filledAmount(log, pool, relay)
  const { logs, unread } = yield* client.logs({
    ...range,
    address: pool,
    topics: AcrossDeposit.filledTopics(relay),
    order: "newest",
    until: (log) => Option.isSome(amountOf(log)),
    ...(requests === undefined ? {} : { requests })
  })
  for (const log of logs) {
    const amountOut = amountOf(log)
    const delivered = Option.isNone(amountOut)
      ? Option.none<Delivery>()
      : yield* deliveryOf(search, log, amountOut.value)
    if (Option.isSome(delivered)) return { delivered: delivered.value, unread }
  }
  return { delivered: undefined, unread }
})

/** Keeps the block that a search has come to, for when it runs out of time. */
interface Progress {
  /** Newest block that is not read. Undefined: the search begins at the newest one. */
  searchFrom: bigint | undefined
  /** True once a window is read. The search may still have to begin at the same block again. */
  isRead: boolean
}

const filledUntil = ({ searchFrom }: Progress, logsFailed?: ChainUnavailable): Delivery => ({
  _tag: "Filled",
  ...(searchFrom === undefined ? {} : { searchFrom }),
  ...(logsFailed === undefined ? {} : { logsFailed })
})

/**
 * Finds a block near the end of a range whose logs a node has. If a read returned nothing of the range's end, either its requests were
 * refused, or no node has the newest blocks. Goes back by steps that double.
 */
const newestReadable = Effect.fnUntraced(function* (
  { client, pool, relay }: Search,
  { fromBlock, toBlock }: BlockRange,
  most: number
) {
  // In this order, a read does not wait for nodes that are behind.
  const filter = { address: pool, topics: AcrossDeposit.filledTopics(relay), order: "newest", requests: 1 } as const
  let requests = 0
  let step = 1n
  for (let block = toBlock; requests < most && block >= fromBlock; step *= 2n) {
    requests += 1
    const isRead = yield* Effect.match(client.logs({ ...filter, fromBlock: block, toBlock: block }), {
      onFailure: () => false,
      onSuccess: ({ unread }) => unread === undefined
    })
    if (isRead) return { block, requests }
    block = toBlock - step
  }
  return { block: toBlock, requests }
})

/** Reads one window of the node after another, since a longer read that runs out of time tells nothing about its parts. */
const readOlder = Effect.fnUntraced(function* (search: Search, range: BlockRange, progress: Progress) {
  let unread: BlockRange | undefined = range
  let requests = 1
  /** Newest block that the next look reads, although older ones are read, since no node has it yet. */
  let again: bigint | undefined
  for (let left = REQUESTS; left > 0 && unread !== undefined;) {
    const asked: BlockRange = unread
    const part = yield* readRange(search, asked, Math.min(requests, left))
    if (part.delivered !== undefined) return part.delivered
    left -= requests
    unread = part.unread
    const isStuck = unread !== undefined && unread.toBlock >= asked.toBlock
    if (isStuck && requests === 1 && left > 0) {
      const readable = yield* newestReadable(search, asked, left)
      left -= readable.requests
      if (readable.block < asked.toBlock) {
        unread = { fromBlock: asked.fromBlock, toBlock: readable.block }
        // The next look reads the blocks in between, or a search that came to its end does if the nodes lag for too long.
        if (search.head.number - asked.toBlock < NEWEST.blocks) again ??= asked.toBlock
        continue
      }
    }
    // A node that refuses the width of a window needs more requests for it.
    requests = isStuck ? requests * 2 : 1
    if (!isStuck) progress.isRead = true
    progress.searchFrom = unread === undefined ? undefined : (again ?? unread.toBlock)
  }
  return filledUntil(progress)
})

/** The fill in the newest blocks, if a node has them and returns them soon. The nodes that serve logs may be behind. */
const inNewest = (options: Search) => {
  const { number: toBlock } = options.head
  const fromBlock = toBlock >= NEWEST.blocks ? toBlock - NEWEST.blocks + 1n : 0n
  return readRange(options, { fromBlock, toBlock }, NEWEST.requests).pipe(
    Effect.map(({ delivered }) => delivered),
    Effect.catchTag("ChainUnavailable", (error) =>
      error.method === "eth_getLogs" ? Effect.undefined : Effect.fail(error)
    ),
    Effect.timeoutOrElse({ duration: SHORTCUT_MILLIS, orElse: () => Effect.undefined })
  )
}

/**
 * The pool accepts no quote timestamp after the deposit, so no fill is much older than that timestamp. A search that came to
 * this end without the event starts again at the newest block.
 */
const search = Effect.fnUntraced(function* (
  options: Search,
  progress: Progress
): Effect.fn.Return<Delivery, ChainUnavailable> {
  const { client, head, relay, searchFrom } = options
  if (searchFrom === undefined) {
    const delivered = yield* inNewest(options)
    if (delivered !== undefined) return delivered
  }
  const lowest = yield* blockBefore(client, head, BigInt(relay.deposit.quoteTimestamp) - CLOCK_SKEW_SECONDS)
  const located = yield* Effect.timeoutOrElse(locate(options, lowest), {
    duration: SHORTCUT_MILLIS,
    orElse: () => Effect.succeedNone
  })
  if (Option.isSome(located)) {
    const { delivered } = yield* readRange(options, { fromBlock: located.value, toBlock: located.value })
    if (delivered !== undefined) return delivered
  }
  const isWithin = searchFrom !== undefined && searchFrom >= lowest && searchFrom < head.number
  return yield* readOlder(options, { fromBlock: lowest, toBlock: isWithin ? searchFrom : head.number }, progress)
})

/** The search with a limit of time. One that has read a part has not failed. */
const timely = (options: Search, progress: Progress) =>
  Effect.timeoutOrElse(search(options, progress), {
    duration: SEARCH_MILLIS,
    orElse: () =>
      progress.isRead
        ? Effect.succeed(filledUntil(progress))
        : Effect.fail(
            new ChainUnavailable({
              chainId: options.client.chain.id,
              method: "eth_getLogs",
              detail: `no logs of the fill within ${SEARCH_MILLIS} milliseconds`
            })
          )
  })

/** `Delivered` with the fill's transaction, or `Filled` while it is not found. Never fails: the fill is proved already. */
export const find = (options: Search): Effect.Effect<Delivery> =>
  Effect.suspend(() => {
    const progress: Progress = { searchFrom: options.searchFrom, isRead: false }
    return Effect.catchTag(timely(options, progress), "ChainUnavailable", (logsFailed) =>
      Effect.succeed(filledUntil(progress, logsFailed))
    )
  }).pipe(
    // The status of a fill with a message proves only that the handler was paid.
    Effect.map((delivery) =>
      delivery._tag === "Filled" && options.relay.deposit.message !== undefined
        ? { ...delivery, swapsOnArrival: true }
        : delivery
    )
  )
