/**
 * Finds the payments by which bridges return deposits that nobody filled. The intents have failed already, as `bridge_refunded`: the
 * payment only proves it to the owner.
 */
import { Clock, Effect } from "effect"
import type { Address } from "../../domain/Address.ts"
import { refundLookMillis } from "../../domain/Backoff.ts"
import { assign, type RefundLine, type Waiting } from "../../domain/BridgeRefund.ts"
import { BridgeRefunds } from "../../ports/orchestrator/BridgeRefunds.ts"
import { Refunds, type WaitingRefund } from "../../ports/orchestrator/Refunds.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type Finding, isolated, NOTHING } from "./Findings.ts"

/** Time after a deposit's deadline in which its refund is looked for, in milliseconds. */
const SEARCH_MILLIS = 14 * 86_400_000

/** Accounts of one look. */
const ACCOUNTS = 200

/**
 * Reads of one look. The second one is for accounts that wait in later blocks than the first one comes to. So an account whose search does
 * not go on does not delay the others.
 */
const READS = 2

type LookedFor = Waiting & Pick<WaitingRefund, "looks">

const leastOf = (blocks: Iterable<bigint>): bigint => {
  let least = 2n ** 62n
  for (const block of blocks) if (block < least) least = block
  return least
}

/** First block of the search for each account. */
const startsOf = (looked: ReadonlyArray<LookedFor>): ReadonlyMap<Address, bigint> => {
  const starts = new Map<Address, bigint>()
  for (const { account, fromBlock } of looked) {
    starts.set(account, leastOf([starts.get(account) ?? fromBlock, fromBlock]))
  }
  return starts
}

/** Makes `look(client)`, one look for the refunds on a chain that are due. */
export const make = Effect.gen(function* () {
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

  /** Blocks from which the refunds are looked for. */
  const withBlocks = ({ chain }: ChainClient, due: ReadonlyArray<WaitingRefund>) =>
    Effect.forEach(due, ({ searchFrom, ...each }) =>
      Effect.map(
        searchFrom === undefined ? bridge.firstBlock(chain.id, each.notBefore) : Effect.succeed(searchFrom),
        (fromBlock) => ({ ...each, fromBlock })
      )
    )

  /**
   * Reads once for these refunds, from the first block of any of them. Returns those of accounts whose blocks the read did not come to.
   * The refunds of an account stay together, since one payment may return several.
   */
  const readFor = Effect.fnUntraced(function* (client: ChainClient, looked: ReadonlyArray<LookedFor>) {
    const starts = startsOf(looked)
    const fromBlock = leastOf(starts.values())
    const { heldBack, lines, nextBlock } = yield* bridge.paid(client.chain.id, new Set(starts.keys()), fromBlock)
    const found = yield* record(client, looked, lines)
    const open = looked.filter(({ id }) => !found.has(id))
    // A read that ends where it began has read the newest blocks, or no node can read more now.
    const isUnread = ({ account, fromBlock: own }: LookedFor) =>
      nextBlock > fromBlock && (starts.get(account) ?? own) >= nextBlock
    const now = yield* Clock.currentTimeMillis
    yield* refunds.postpone(
      open
        .filter((each) => !isUnread(each))
        .map((each) => {
          const next = heldBack?.get(each.account) ?? nextBlock
          return {
            id: each.id,
            searchFrom: each.fromBlock > next ? each.fromBlock : next,
            lookAtMs: now + refundLookMillis(each.looks + 1)
          }
        })
    )
    return open.filter(isUnread)
  })

  const lookFor = Effect.fnUntraced(function* (client: ChainClient, due: ReadonlyArray<WaitingRefund>) {
    let unread: ReadonlyArray<LookedFor> = yield* withBlocks(client, due)
    for (let reads = 0; reads < READS && unread.length > 0; reads++) unread = yield* readFor(client, unread)
    const lookAtMs = yield* Clock.currentTimeMillis
    // The next look is without the accounts that these reads were for.
    yield* refunds.postpone(unread.map(({ fromBlock, id }) => ({ id, searchFrom: fromBlock, lookAtMs })))
    return NOTHING
  })

  return Effect.fn("Watcher.refunds")(function* (
    client: ChainClient
  ): Effect.fn.Return<ReadonlyArray<Finding>, StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const due = yield* refunds.due(client.chain.id, ACCOUNTS, now - SEARCH_MILLIS)
    return due.length === 0 ? [] : [yield* isolated(lookFor(client, due))]
  })
})
