/** Rows of relay transactions, and the signed bytes that need not be read again. */
import * as Address from "../../../domain/Address.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import type { Attempt, RelayTransaction } from "../../../ports/orchestrator/RelayTransactions.ts"

/** Rows of this service's own tables are not validated again. In the aggregated attempts, numbers of any size are text. */
export interface TransactionRow {
  readonly id: bigint
  readonly chain_id: bigint
  readonly lane: string
  readonly nonce: bigint
  readonly kind: RelayTransaction["kind"]
  readonly status: RelayTransaction["status"]
  readonly intent_ids: ReadonlyArray<string>
  readonly attempts: ReadonlyArray<{
    readonly hash: Hash
    /** Absent when this process remembers the bytes of the hash. */
    readonly raw?: Hex
    readonly maxFeePerGas: string
    readonly maxPriorityFeePerGas: string
    readonly signedAtMs: number
    readonly broadcastAtMs?: number
  }>
  readonly included_hash: Hash | null
  readonly included_block_number: bigint | null
  readonly included_block_hash: Hash | null
  readonly reopened: boolean
  readonly wanted_until: bigint | string | null
  readonly created_at: Date
}

/** Number of signed transactions that this process remembers: those of some blocks. A batch has tens of kilobytes. */
const REMEMBERED = 256

/**
 * Signed bytes by their hash. A hash identifies its bytes, so bytes that were signed here or read once are not read again each
 * time the unfinished transactions are listed.
 */
export interface SignedBytes {
  /** Snapshot: it keeps its entries when newer bytes replace them. */
  readonly known: () => ReadonlyMap<Hash, Hex>
  readonly remember: (hash: Hash, raw: Hex) => void
}

export const makeBytes = (): SignedBytes => {
  const known = new Map<Hash, Hex>()
  return {
    known: () => new Map(known),
    remember: (hash, raw) => {
      known.set(hash, raw)
      for (const oldest of known.keys()) {
        if (known.size <= REMEMBERED) break
        known.delete(oldest)
      }
    }
  }
}

const toAttempt =
  (known: ReadonlyMap<Hash, Hex>) =>
  (attempt: TransactionRow["attempts"][number]): Attempt => {
    const raw = attempt.raw ?? known.get(attempt.hash)
    if (raw === undefined) throw new Error(`the bytes of ${attempt.hash} were neither read nor known`)
    return {
      hash: attempt.hash,
      raw,
      maxFeePerGas: BigInt(attempt.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(attempt.maxPriorityFeePerGas),
      signedAtMs: attempt.signedAtMs,
      ...(attempt.broadcastAtMs === undefined ? {} : { broadcastAtMs: attempt.broadcastAtMs })
    }
  }

export const toTransaction =
  (known: ReadonlyMap<Hash, Hex>) =>
  (row: TransactionRow): RelayTransaction => ({
    id: String(row.id),
    chainId: Number(row.chain_id),
    lane: Address.stored(row.lane),
    nonce: row.nonce,
    kind: row.kind,
    intentIds: row.intent_ids,
    status: row.status,
    attempts: row.attempts.map(toAttempt(known)),
    ...(row.included_hash !== null && row.included_block_number !== null && row.included_block_hash !== null
      ? {
          inclusion: {
            hash: row.included_hash,
            blockNumber: row.included_block_number,
            blockHash: row.included_block_hash
          }
        }
      : {}),
    ...(row.reopened ? { reopened: true } : {}),
    ...(row.wanted_until === null ? {} : { wantedUntil: BigInt(row.wanted_until) }),
    createdAtMs: row.created_at.getTime()
  })
