/** Finds the transactions of lanes that the database forgot, and their cost. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import * as Rows from "../../adapters/sql/orchestrator/LostTransactions.ts"
import type * as Address from "../../domain/Address.ts"
import * as LostTransactions from "../../domain/LostTransactions.ts"
import { type ChainView, inconsistent } from "../../orchestrator/shared/ChainView.ts"
import { costOf } from "../../orchestrator/watch/Findings.ts"

/** Blocks in which a client looks for the use of a nonce at once. */
const SEARCHED_BLOCKS = 4_096n

/** The part of the time after a restore that is searched. */
export interface Period {
  /** UNIX milliseconds of the moment to which the database was restored. */
  readonly restoredToMs: number
  /** First block that is searched. */
  readonly fromBlock: bigint
}

/** The transaction of a nonce in the blocks of the period up to `lastBlock`. */
const transactionOf = Effect.fnUntraced(function* (
  { client }: ChainView,
  lane: Address.Address,
  nonce: bigint,
  lastBlock: bigint,
  { fromBlock }: Period
) {
  for (let block = lastBlock; block >= fromBlock; block -= SEARCHED_BLOCKS) {
    const hash = yield* client.transactionOf(lane, nonce, block)
    if (Option.isNone(hash)) continue
    const receipt = yield* client.receipt(hash.value)
    if (Option.isNone(receipt)) return yield* inconsistent(client)
    const mined = yield* client.block(receipt.value.blockNumber)
    if (Option.isNone(mined)) return yield* inconsistent(client)
    return { receipt: receipt.value, minedAtMs: Number(mined.value.timestamp) * 1000 }
  }
  return undefined
})

/**
 * Searches from the newest nonce to the oldest, each from the block where the one before was found, since nodes keep the state of
 * recent blocks only. Ends at a transaction from before the period, which the database did not forget.
 */
const search = Effect.fnUntraced(function* (
  view: ChainView,
  lane: Address.Address,
  nonces: ReadonlyArray<LostTransactions.MissingNonce>,
  newest: bigint,
  period: Period
) {
  const lost: Array<LostTransactions.LostTransaction> = []
  let lastBlock = newest
  for (const { nonce, notAfter } of nonces) {
    if (notAfter !== undefined && notAfter < lastBlock) lastBlock = notAfter
    const found = yield* transactionOf(view, lane, nonce, lastBlock, period)
    if (found === undefined || found.receipt.blockNumber < period.fromBlock) break
    const { minedAtMs, receipt } = found
    lastBlock = receipt.blockNumber
    lost.push({
      hash: receipt.transactionHash,
      chainId: view.client.chain.id,
      lane,
      nonce,
      wei: costOf(receipt),
      minedAtMs
    })
  }
  return lost
})

const ofLane = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  view: ChainView,
  { first, lane }: { readonly first: bigint; readonly lane: Address.Address },
  period: Period
) {
  const { client, confirmed } = view
  if (Option.isNone(confirmed)) return { lost: [], pending: 0 }
  const { number } = confirmed.value
  const place = { chainId: client.chain.id, first, lane }
  const [used, pending] = yield* Effect.all(
    [client.transactionCount(lane, number), client.transactionCount(lane, "pending")],
    { concurrency: 2 }
  )
  const seen: LostTransactions.LaneView = {
    lane,
    first,
    used,
    pending,
    known: yield* Rows.knownNonces(sql, place),
    unseen: yield* Rows.unseenNonces(sql, place, period.restoredToMs)
  }
  const lost = yield* search(view, lane, LostTransactions.missing(seen), number, period)
  return { lost, pending: LostTransactions.unconfirmed(seen) }
})

/**
 * The transactions of all lanes of a chain that the database forgot, and the number of those that are not confirmed and that it does
 * not know.
 */
export const read = Effect.fnUntraced(function* (sql: PgClient.PgClient, view: ChainView, period: Period) {
  const lanes = yield* Rows.lanes(sql, period.restoredToMs, view.client.chain.id)
  const found = yield* Effect.forEach(lanes, (lane) => ofLane(sql, view, lane, period), { concurrency: 4 })
  const lost = found.flatMap((each) => each.lost)
  const own = yield* Rows.signed(
    sql,
    lost.map(({ hash }) => hash)
  )
  return {
    lost: lost.filter(({ hash }) => !own.has(hash)),
    pending: found.reduce((sum, each) => sum + each.pending, 0)
  }
})
