/** Notices reorganisations deeper than a chain's confirmations, and reopens the final transactions that lost their block. */
import { Effect, Option } from "effect"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import type { Block } from "../../ports/shared/Chains.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import type { Aside } from "./Aside.ts"

/** Depth in blocks to which reorganisations are noticed: two epochs of Ethereum, after which its blocks are final. */
export const REORG_DEPTH = 64n

const alertKey = (chainId: number): string => `reorg_after_final:${chainId}`

/** Alert that so many transactions are reopened. */
export const alertOf = ({ client: { chain }, head }: ChainView, transactions: number): NewAlert => ({
  key: alertKey(chain.id),
  severity: "critical",
  kind: "reorg_after_final",
  message: `A reorganisation of ${chain.name} was deeper than its ${chain.confirmations} confirmations. Transactions that had settled sweeps lost their blocks and are sent again.`,
  details: { chainId: chain.id, head: head.number.toString(), transactions }
})

/** None when the node does not have the block, which proves nothing. */
const isCanonical = (hash: Block["hash"], block: Option.Option<Block>): Option.Option<boolean> =>
  Option.map(block, (found) => found.hash === hash)

/** A final transaction. `stands` tells if its block is canonical, and is none if the node does not have that block. */
interface Checked {
  readonly id: string
  readonly stands: Option.Option<boolean>
}

/** Makes `reopenLost`, and `clear`, which ends the alert once no reopened transaction is left. */
export const make = Effect.fnUntraced(function* ({ decidingOn, isDeciding }: Pick<Aside, "decidingOn" | "isDeciding">) {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  /** Head up to which every block of a final transaction is checked, by chain id. */
  const heads = new Map<number, Block>()

  /**
   * Transactions that were decided aside during that check, by chain id. They may yet end with a block that was gone by then, and are checked
   * when they have ended. Decisions that begin later rest on blocks below the head.
   */
  const unchecked = new Map<number, ReadonlyArray<string>>()

  /** While that head is canonical, so is every block below it. */
  const isUnchanged = Effect.fnUntraced(function* ({ client, head }: ChainView) {
    const last = heads.get(client.chain.id)
    if (last === undefined) return false
    if (last.hash === head.hash) return true
    return Option.contains(isCanonical(last.hash, yield* client.block(last.number)), true)
  })

  /** Checks the blocks of recent final transactions, or of those among them that are `wanted`. */
  const checkFinal = Effect.fnUntraced(function* (
    { client, head }: ChainView,
    wanted: (id: string) => boolean = () => true
  ) {
    const from = head.number > REORG_DEPTH ? head.number - REORG_DEPTH : 0n
    const finals = (yield* transactions.finalFrom(client.chain.id, from)).filter(({ id }) => wanted(id))
    const numbers = [...new Set(finals.map(({ inclusion }) => inclusion.blockNumber))]
    const read = (number: bigint) => Effect.map(client.block(number), (block) => [number, block] as const)
    const blocks = new Map(yield* Effect.forEach(numbers, read, { concurrency: "unbounded" }))
    return finals.map(({ id, inclusion }): Checked => ({
      id,
      stands: isCanonical(inclusion.blockHash, blocks.get(inclusion.blockNumber) ?? Option.none())
    }))
  })

  const reopen = Effect.fnUntraced(function* (view: ChainView, checked: ReadonlyArray<Checked>) {
    const lost = checked.flatMap(({ id, stands }) => (Option.contains(stands, false) ? [id] : []))
    if (lost.length === 0) return
    yield* transactions.reopen(lost)
    yield* alerts.raise(alertOf(view, lost.length))
  })

  /** Checks those that have ended since the last check. A block that the node does not have is checked again in the next pass. */
  const checkEnded = Effect.fnUntraced(function* (view: ChainView) {
    const { id: chainId } = view.client.chain
    const ids = unchecked.get(chainId) ?? []
    const ended = new Set(ids.filter((id) => !isDeciding(id)))
    if (ended.size === 0) return
    const checked = yield* checkFinal(view, (id) => ended.has(id))
    yield* reopen(view, checked)
    const isUnknown = (id: string) => checked.some((each) => each.id === id && Option.isNone(each.stands))
    unchecked.set(
      chainId,
      ids.filter((id) => !ended.has(id) || isUnknown(id))
    )
  })

  /** Checks all, unless the head of the last check is canonical. Is repeated in the next pass if the node does not have some block. */
  const reopenLost = Effect.fn("Watcher.reopenLost")(function* (view: ChainView) {
    const { id: chainId } = view.client.chain
    if (yield* isUnchanged(view)) {
      heads.set(chainId, view.head)
      return yield* checkEnded(view)
    }
    // One of them may end while the final transactions are read.
    const deciding = decidingOn(chainId)
    const checked = yield* checkFinal(view)
    yield* reopen(view, checked)
    if (!checked.every(({ stands }) => Option.isSome(stands))) return
    heads.set(chainId, view.head)
    unchecked.set(chainId, deciding)
  })

  const clear = (chainId: number, unfinished: ReadonlyArray<RelayTransaction>) =>
    unfinished.some(({ reopened }) => reopened) ? Effect.void : alerts.clear(alertKey(chainId))

  return { reopenLost, clear }
})
