/** Notices reorganisations deeper than a chain's confirmations, and reopens the final transactions that lost their block. */
import { Effect, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import type { Block } from "../../ports/shared/Chains.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import type { Aside } from "./Aside.ts"

/** Depth in blocks to which reorganisations are noticed: two epochs of Ethereum, after which its blocks are final. */
export const REORG_DEPTH = 64n

/** Time before its first head from which a process checks blocks, in milliseconds. No process may have looked for a while. */
const FIRST_LOOK_MILLIS = 900_000

/** Maximum number of blocks that one pass reads. Later passes read the others. */
const READS = 128

const alertKey = (chainId: number): string => `reorg_after_final:${chainId}`

/** Alert that so many transactions are reopened. */
export const alertOf = ({ client: { chain } }: ChainView, transactions: number): NewAlert => ({
  key: alertKey(chain.id),
  severity: "critical",
  kind: "reorg_after_final",
  message: `A reorganisation of ${chain.name} was deeper than its ${chain.confirmations} confirmations. Transactions that had settled sweeps lost their blocks and are sent again.`,
  details: { chainId: chain.id, transactions }
})

/** None when the node does not have the block, which proves nothing. */
const isCanonical = (hash: Block["hash"], block: Option.Option<Block>): Option.Option<boolean> =>
  Option.map(block, (found) => found.hash === hash)

/** A final transaction with its block. */
type Final = Effect.Success<ReturnType<RelayTransactions["Service"]["finalFrom"]>>[number]

/** A final transaction. `stands` tells if its block is canonical, and is none if the node does not have that block. */
interface Checked extends Final {
  readonly stands: Option.Option<boolean>
}

/** State of a chain's checks. */
interface Progress {
  /** Every block of a final transaction below `from` is canonical if this head is. */
  readonly head: Block
  /** Number of the first block to check. Undefined: all are checked. */
  readonly from: bigint | undefined
}

const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Number of the first block to check after the last known head proved not to be canonical. The depth counts from that head, since the
 * chain may have grown by more since then. The first check of a process counts from its head, and covers some time.
 */
export const checkFrom = (
  { blockTimeMillis }: Pick<Chain, "blockTimeMillis">,
  head: bigint,
  last: bigint | undefined
): bigint => {
  const first = BigInt(Math.ceil(FIRST_LOOK_MILLIS / blockTimeMillis))
  const depth = last === undefined && first > REORG_DEPTH ? first : REORG_DEPTH
  const base = lower(last ?? head, head)
  return base > depth ? base - depth : 0n
}

/** Reads the blocks of final transactions, those with the lowest numbers first, and up to `READS` of them. */
const check = Effect.fnUntraced(function* ({ client }: ChainView, finals: ReadonlyArray<Final>) {
  const numbers = [...new Set(finals.map(({ inclusion }) => inclusion.blockNumber))].toSorted((a, b) =>
    a < b ? -1 : a > b ? 1 : 0
  )
  const read = (number: bigint) => Effect.map(client.block(number), (block) => [number, block] as const)
  const blocks = new Map(yield* Effect.forEach(numbers.slice(0, READS), read, { concurrency: "unbounded" }))
  const checked = finals.map((each): Checked => {
    const { blockHash, blockNumber } = each.inclusion
    return { ...each, stands: isCanonical(blockHash, blocks.get(blockNumber) ?? Option.none()) }
  })
  // Either it was not read, or the node does not have it.
  const next = numbers.find((number) => Option.isNone(blocks.get(number) ?? Option.none()))
  return { checked, next }
})

/**
 * Makes `reopenLost`, and `review`, which keeps the alert while there are reopened transactions, and ends it once none is left. A process may
 * stop between the reopening and its alert, and one that reopens nothing may end the alert of one that is about to.
 */
export const make = Effect.fnUntraced(function* ({ decidingOn, isDeciding }: Pick<Aside, "decidingOn" | "isDeciding">) {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  /** By chain id. */
  const progress = new Map<number, Progress>()

  /**
   * Transactions that were decided aside when a check began, with the number of its first block, by chain id. They may yet end with a block
   * that was gone by then, and are checked when they have ended. Decisions that begin later rest on blocks below the head.
   */
  const unchecked = new Map<number, ReadonlyMap<string, bigint>>()

  /** While that head is canonical, so is every block below it. */
  const isUnchanged = Effect.fnUntraced(function* ({ client, head }: ChainView, last: Block) {
    if (last.hash === head.hash) return true
    return Option.contains(isCanonical(last.hash, yield* client.block(last.number)), true)
  })

  /** Raises the alert first: an alert that nothing follows ends with the next review. */
  const reopen = Effect.fnUntraced(function* (view: ChainView, checked: ReadonlyArray<Checked>) {
    const lost = checked.filter(({ stands }) => Option.contains(stands, false))
    if (lost.length === 0) return
    yield* alerts.raise(alertOf(view, lost.length))
    yield* transactions.reopen(lost)
  })

  /** Checks those that have ended since a check began. A block that the node does not have is checked again in the next pass. */
  const checkEnded = Effect.fnUntraced(function* (view: ChainView) {
    const { id: chainId } = view.client.chain
    const ended = new Map([...(unchecked.get(chainId) ?? [])].filter(([id]) => !isDeciding(id)))
    if (ended.size === 0) return
    const finals = yield* transactions.finalFrom(chainId, [...ended.values()].reduce(lower))
    const { checked } = yield* check(
      view,
      finals.filter(({ id }) => ended.has(id))
    )
    yield* reopen(view, checked)
    const unknown = new Set(checked.filter(({ stands }) => Option.isNone(stands)).map(({ id }) => id))
    const left = [...(unchecked.get(chainId) ?? [])].filter(([id]) => !ended.has(id) || unknown.has(id))
    unchecked.set(chainId, new Map(left))
  })

  /** Notes the head, and from which block on all must be checked, unless the last head is canonical. */
  const advance = Effect.fnUntraced(function* (view: ChainView) {
    const { client, head } = view
    const { id: chainId } = client.chain
    const last = progress.get(chainId)
    if (last !== undefined && (yield* isUnchanged(view, last.head))) {
      progress.set(chainId, { ...last, head })
      return last.from
    }
    const first = checkFrom(client.chain, head.number, last?.head.number)
    const from = lower(last?.from ?? first, first)
    // One of them may end while the final transactions are read.
    const before = unchecked.get(chainId)
    const deciding = decidingOn(chainId).map((id) => [id, lower(before?.get(id) ?? from, from)] as const)
    unchecked.set(chainId, new Map([...(before ?? []), ...deciding]))
    progress.set(chainId, { head, from })
    return from
  })

  /** Checks all, unless the head of the last check is canonical. Later passes check what this one cannot. */
  const reopenLost = Effect.fn("Watcher.reopenLost")(function* (view: ChainView) {
    const { id: chainId } = view.client.chain
    const from = yield* advance(view)
    if (from === undefined) return yield* checkEnded(view)
    const { checked, next } = yield* check(view, yield* transactions.finalFrom(chainId, from))
    yield* reopen(view, checked)
    progress.set(chainId, { head: view.head, from: next })
  })

  const review = (view: ChainView, unfinished: ReadonlyArray<RelayTransaction>) => {
    const { length } = unfinished.filter(({ reopened }) => reopened !== undefined)
    return length > 0 ? alerts.raise(alertOf(view, length)) : alerts.clear(alertKey(view.client.chain.id))
  }

  return { reopenLost, review }
})
