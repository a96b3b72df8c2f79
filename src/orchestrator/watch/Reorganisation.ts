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

/** Makes `reopenLost`, and `clear`, which ends the alert once no reopened transaction is left. */
export const make = Effect.fnUntraced(function* ({ isBusy }: Pick<Aside, "isBusy">) {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  /** Head up to which every block of a final transaction is checked, by chain id. */
  const heads = new Map<number, Block>()

  /** While that head is canonical, so is every block below it, and there is nothing to check. */
  const isUnchanged = Effect.fnUntraced(function* ({ client, head }: ChainView) {
    const last = heads.get(client.chain.id)
    if (last === undefined) return false
    if (last.hash === head.hash) return true
    return Option.contains(isCanonical(last.hash, yield* client.block(last.number)), true)
  })

  /** Checks the blocks of recent final transactions. A block that the node does not have is checked again in the next pass. */
  const checkFinal = Effect.fnUntraced(function* ({ client, head }: ChainView) {
    const from = head.number > REORG_DEPTH ? head.number - REORG_DEPTH : 0n
    const finals = yield* transactions.finalFrom(client.chain.id, from)
    const numbers = [...new Set(finals.map(({ inclusion }) => inclusion.blockNumber))]
    const read = (number: bigint) => Effect.map(client.block(number), (block) => [number, block] as const)
    const blocks = new Map(yield* Effect.forEach(numbers, read, { concurrency: "unbounded" }))
    return finals.map(({ id, inclusion }) => ({
      id,
      stands: isCanonical(inclusion.blockHash, blocks.get(inclusion.blockNumber) ?? Option.none())
    }))
  })

  const reopenLost = Effect.fn("Watcher.reopenLost")(function* (view: ChainView) {
    const { chain } = view.client
    const { head } = view
    if (yield* isUnchanged(view)) {
      heads.set(chain.id, head)
      return
    }
    // A decision aside may yet end a transaction with a block that is gone. It is not among those that are checked now.
    const isDeciding = isBusy(chain.id)
    const checked = yield* checkFinal(view)
    const lost = checked.flatMap(({ id, stands }) => (Option.contains(stands, false) ? [id] : []))
    if (lost.length > 0) {
      yield* transactions.reopen(lost)
      yield* alerts.raise(alertOf(view, lost.length))
    }
    if (!isDeciding && checked.every(({ stands }) => Option.isSome(stands))) heads.set(chain.id, head)
  })

  const clear = (chainId: number, unfinished: ReadonlyArray<RelayTransaction>) =>
    unfinished.some(({ reopened }) => reopened) ? Effect.void : alerts.clear(alertKey(chainId))

  return { reopenLost, clear }
})
