/**
 * Finds the payments by which bridges return deposits that nobody filled. The intents have failed already, as `bridge_refunded`: the
 * payment only proves it to the owner.
 */
import { Clock, Effect } from "effect"
import type { Address } from "../../domain/Address.ts"
import { refundLookMillis } from "../../domain/Backoff.ts"
import { assign, type RefundLine, type Waiting } from "../../domain/BridgeRefund.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { BridgeRefunds } from "../../ports/orchestrator/BridgeRefunds.ts"
import { Refunds, type WaitingRefund } from "../../ports/orchestrator/Refunds.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type Finding, isolated, NOTHING } from "./Findings.ts"

/** Time after a deposit's deadline in which its refund is looked for, in milliseconds. */
const SEARCH_MILLIS = 14 * 86_400_000

/** Accounts of one look. */
const ACCOUNTS = 200

/**
 * Maximum number of reads of one look, and of those behind blocks that hold accounts back. The second read is for accounts that the first
 * one did not come to. So an account whose search does not go on does not delay the others.
 */
const READS = 2

/** Refunds whose blocks are kept in memory. The oldest is forgotten for a new one. */
const MOST_KEPT = 10_000

type LookedFor = Waiting & Pick<WaitingRefund, "looks">

/** Result of one read. */
interface Read {
  /** First block of the search for each account. */
  readonly starts: ReadonlyMap<Address, bigint>
  /** Refunds that are still open, of accounts whose first block the read came to. */
  readonly read: ReadonlyArray<LookedFor>
  /** Refunds of the other accounts. */
  readonly unread: ReadonlyArray<LookedFor>
  readonly nextBlock: bigint
  /** Earlier blocks than the next one, at which the search for single accounts stays. */
  readonly heldBack: ReadonlyMap<Address, bigint>
  readonly failed?: ChainUnavailable
}

const leastOf = (blocks: Iterable<bigint>): bigint => {
  let least = 2n ** 62n
  for (const block of blocks) if (block < least) least = block
  return least
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** First block of the search for each account. */
const startsOf = (looked: ReadonlyArray<LookedFor>): ReadonlyMap<Address, bigint> => {
  const starts = new Map<Address, bigint>()
  for (const { account, fromBlock } of looked) {
    starts.set(account, leastOf([starts.get(account) ?? fromBlock, fromBlock]))
  }
  return starts
}

/** A read that failed holds back the accounts that begin at its first block. It tells nothing about the others. */
const failedRead = (looked: ReadonlyArray<LookedFor>, failed: ChainUnavailable): Read => {
  const starts = startsOf(looked)
  const nextBlock = leastOf(starts.values())
  const heldBack = new Map([...starts].filter(([, start]) => start === nextBlock))
  const isHeld = ({ account }: LookedFor) => heldBack.has(account)
  return {
    starts,
    read: looked.filter(isHeld),
    unread: looked.filter((each) => !isHeld(each)),
    nextBlock,
    heldBack,
    failed
  }
}

/**
 * The searches behind blocks that hold accounts back: those of accounts that stay where the read began for them, with the later blocks from
 * which they are also looked for. `readTo`: block to which earlier such reads came. Leaves out accounts without a later block.
 */
const behindOf = (
  { heldBack, nextBlock, read, starts }: Read,
  readTo: (id: string) => bigint | undefined
): ReadonlyArray<LookedFor> => {
  const later = read
    .filter(({ account, fromBlock }) => {
      const held = heldBack.get(account)
      return held !== undefined && held <= (starts.get(account) ?? fromBlock)
    })
    .map((each) => ({ ...each, fromBlock: greater(each.fromBlock, greater(nextBlock, readTo(each.id) ?? 0n)) }))
  const begins = startsOf(later.filter(({ account, fromBlock }) => fromBlock > (starts.get(account) ?? fromBlock)))
  // One payment may return several refunds of the account.
  return later.flatMap((each) => {
    const begin = begins.get(each.account)
    return begin === undefined ? [] : [{ ...each, fromBlock: greater(each.fromBlock, begin) }]
  })
}

/** Makes `readAll`, the reads of one look. */
const makeReadAll = Effect.gen(function* () {
  const bridge = yield* BridgeRefunds
  const refunds = yield* Refunds

  /** Records what the payments return. Returns the ids whose refund is found. */
  const record = Effect.fnUntraced(function* (
    { chain }: ChainClient,
    waiting: ReadonlyArray<Waiting>,
    lines: ReadonlyArray<RefundLine>
  ): Effect.fn.Return<ReadonlySet<string>, StoreUnavailable> {
    const found = new Set<string>()
    let unused = lines
    for (;;) {
      const open = waiting.filter(({ id }) => !found.has(id))
      const [assignment] = assign(open, unused)
      if (assignment === undefined) return found
      const { ids, line } = assignment
      // The payment may have been recorded for other deposits in an earlier look. Then a later one is theirs.
      unused = unused.filter((each) => each !== line)
      if (!(yield* refunds.note(chain.id, assignment))) continue
      for (const id of ids) {
        found.add(id)
        yield* Effect.logInfo("sweep.refund_found").pipe(
          Effect.annotateLogs({ intentId: id, chain: chain.name, chainId: chain.id, refundTxHash: line.txHash })
        )
      }
    }
  })

  /**
   * Reads once for these refunds, from the first block of any of them, and records what it finds. The refunds of an account stay together,
   * since one payment may return several.
   */
  const readOnce = Effect.fnUntraced(function* (
    client: ChainClient,
    looked: ReadonlyArray<LookedFor>
  ): Effect.fn.Return<Read, StoreUnavailable> {
    const starts = startsOf(looked)
    const fromBlock = leastOf(starts.values())
    const outcome = yield* Effect.result(bridge.paid(client.chain.id, new Set(starts.keys()), fromBlock))
    if (outcome._tag === "Failure") return failedRead(looked, outcome.failure)
    const { heldBack = new Map<Address, bigint>(), lines, nextBlock } = outcome.success
    const found = yield* record(client, looked, lines)
    const open = looked.filter(({ id }) => !found.has(id))
    // A read that ends where it began has read the newest blocks, or no node can read more now.
    const isUnread = ({ account, fromBlock: own }: LookedFor) =>
      nextBlock > fromBlock && (starts.get(account) ?? own) >= nextBlock
    return {
      starts,
      read: open.filter((each) => !isUnread(each)),
      unread: open.filter(isUnread),
      nextBlock,
      heldBack
    }
  })

  /** Reads as often as one look allows, and hands over each result. Returns the first failure. */
  const readAll = Effect.fnUntraced(function* (
    client: ChainClient,
    looked: ReadonlyArray<LookedFor>,
    keep: (read: Read) => Effect.Effect<void, StoreUnavailable>
  ): Effect.fn.Return<ChainUnavailable | undefined, StoreUnavailable> {
    let failed: ChainUnavailable | undefined
    let unread = looked
    for (let reads = 0; reads < READS && unread.length > 0; reads++) {
      const read = yield* readOnce(client, unread)
      yield* keep(read)
      failed ??= read.failed
      unread = read.unread
    }
    return failed
  })

  return readAll
})

/** Makes `look(client)`, one look for the refunds on a chain that are due. */
export const make = Effect.gen(function* () {
  const bridge = yield* BridgeRefunds
  const refunds = yield* Refunds
  const readAll = yield* makeReadAll
  /** First blocks of refunds whose blocks no read has come to. */
  const firsts = LatestMap.make<string, bigint>(MOST_KEPT)
  /** Blocks to which reads came behind those that hold accounts back. After a restart, these reads begin again. */
  const readTo = LatestMap.make<string, bigint>(MOST_KEPT)

  const firstBlock = Effect.fnUntraced(function* ({ chain }: ChainClient, { id, notBefore }: WaitingRefund) {
    const known = firsts.get(id)
    if (known !== undefined) return known
    const block = yield* bridge.firstBlock(chain.id, notBefore)
    firsts.set(id, block)
    return block
  })

  /** Blocks from which the refunds are looked for. */
  const withBlocks = (client: ChainClient, due: ReadonlyArray<WaitingRefund>) =>
    Effect.forEach(due, (each) => {
      const { searchFrom, ...rest } = each
      return Effect.map(
        searchFrom === undefined ? firstBlock(client, each) : Effect.succeed(searchFrom),
        (fromBlock): LookedFor => ({ ...rest, fromBlock })
      )
    })

  /** Stores where the next look continues. An account that no read has come to stays due, and is not counted as looked for. */
  const postpone = Effect.fnUntraced(function* ({ heldBack, nextBlock, read }: Read) {
    const now = yield* Clock.currentTimeMillis
    yield* refunds.postpone(
      read.map(({ account, fromBlock, id, looks }) => ({
        id,
        searchFrom: greater(fromBlock, heldBack.get(account) ?? nextBlock),
        lookAtMs: now + refundLookMillis(looks + 1)
      }))
    )
  })

  const keepReadTo = ({ nextBlock, read }: Read) =>
    Effect.sync(() => {
      for (const { fromBlock, id } of read) readTo.set(id, greater(fromBlock, nextBlock))
    })

  const lookFor = Effect.fnUntraced(function* (client: ChainClient, due: ReadonlyArray<WaitingRefund>) {
    const looked = yield* withBlocks(client, due)
    const behind: Array<LookedFor> = []
    const failed = yield* readAll(client, looked, (read) => {
      behind.push(...behindOf(read, readTo.get))
      return postpone(read)
    })
    const failedBehind = yield* readAll(client, behind, keepReadTo)
    const failure = failed ?? failedBehind
    return failure === undefined ? NOTHING : yield* failure
  })

  return Effect.fn("Watcher.refunds")(function* (
    client: ChainClient
  ): Effect.fn.Return<ReadonlyArray<Finding>, StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const due = yield* refunds.due(client.chain.id, ACCOUNTS, now - SEARCH_MILLIS)
    return due.length === 0 ? [] : [yield* isolated(lookFor(client, due))]
  })
})
