/** How a relay transaction lies in its rows, and which signed bytes need not be read again. */
import * as Address from "../../../domain/Address.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import type { Attempt, RelayTransaction } from "../../../ports/orchestrator/RelayTransactions.ts"

/** Of the service's own tables, hence taken at its word; numbers of any size are text in the aggregated attempts. */
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
    /** Left out where this process knows the bytes of the hash. */
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

/** Signed bytes that this process keeps: some blocks' worth. A batch has tens of kilobytes. */
const REMEMBERED = 256

/**
 * Signed bytes by their hash, which stands for them and them alone: what was signed here, or read once, need not come from the
 * database again at every look at what is unfinished.
 */
export const makeBytes = () => {
  const known = new Map<Hash, Hex>()
  return {
    /** What is known now, whatever is forgotten meanwhile. */
    known: (): ReadonlyMap<Hash, Hex> => new Map(known),
    remember: (hash: Hash, raw: Hex) => {
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
