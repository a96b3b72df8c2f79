/** Rows of relay transactions, and the signed bytes that need not be read again. */
import { Option, Result, Schema } from "effect"
import * as Address from "../../../domain/Address.ts"
import { Hash, Hex } from "../../../domain/Hex.ts"
import type {
  Attempt,
  Front,
  RelayTransaction,
  Survey,
  UnreadableTransaction
} from "../../../ports/orchestrator/RelayTransactions.ts"

/** In the aggregated attempts, numbers of any size are text. */
const AttemptRow = Schema.Struct({
  hash: Hash,
  /** Absent when this process remembers the bytes of the hash. */
  raw: Schema.optionalKey(Hex),
  maxFeePerGas: Schema.BigIntFromString,
  maxPriorityFeePerGas: Schema.BigIntFromString,
  signedAtMs: Schema.Int,
  broadcastAtMs: Schema.optionalKey(Schema.Int)
})

const TransactionRow = Schema.Struct({
  id: Schema.BigInt,
  chain_id: Schema.BigInt,
  lane: Address.Address,
  nonce: Schema.BigInt,
  kind: Schema.Literals(["sweep", "cancel"]),
  status: Schema.Literals(["pending", "mined", "final"]),
  intent_ids: Schema.Array(Schema.String),
  attempts: Schema.Array(AttemptRow),
  included_hash: Schema.NullOr(Hash),
  included_block_number: Schema.NullOr(Schema.BigInt),
  included_block_hash: Schema.NullOr(Hash),
  reopened: Schema.Boolean,
  /** Null in rows that an earlier release reopened. */
  reopened_at: Schema.NullOr(Schema.Date),
  reopened_hash: Schema.NullOr(Hash),
  wanted_until: Schema.NullOr(Schema.Union([Schema.BigInt, Schema.BigIntFromString])),
  created_at: Schema.Date
})
type TransactionRow = typeof TransactionRow.Type

const decodeRow = Schema.decodeUnknownResult(TransactionRow)

const FrontRow = Schema.Struct({
  lane: Address.Address,
  max_fee_per_gas: Schema.BigIntFromString,
  created_at: Schema.Date,
  nonces: Schema.Array(Schema.BigIntFromString),
  /** In the order of the nonces. */
  reserved: Schema.Array(Schema.BigIntFromString)
})

const decodeFront = Schema.decodeUnknownOption(FrontRow)

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
      maxFeePerGas: attempt.maxFeePerGas,
      maxPriorityFeePerGas: attempt.maxPriorityFeePerGas,
      signedAtMs: attempt.signedAtMs,
      ...(attempt.broadcastAtMs === undefined ? {} : { broadcastAtMs: attempt.broadcastAtMs })
    }
  }

const toReopening = ({
  attempts,
  created_at,
  reopened,
  reopened_at,
  reopened_hash
}: TransactionRow): Pick<RelayTransaction, "reopened"> => {
  const hash = reopened_hash ?? attempts.at(-1)?.hash
  return reopened && hash !== undefined ? { reopened: { atMs: (reopened_at ?? created_at).getTime(), hash } } : {}
}

const toTransaction =
  (known: ReadonlyMap<Hash, Hex>) =>
  (row: TransactionRow): RelayTransaction => ({
    id: String(row.id),
    chainId: Number(row.chain_id),
    lane: row.lane,
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
    ...toReopening(row),
    ...(row.wanted_until === null ? {} : { wantedUntil: row.wanted_until }),
    createdAtMs: row.created_at.getTime()
  })

/** Reads fronts. A lane whose front cannot be read counts as one without a front. */
export const fronts = (rows: ReadonlyArray<unknown>): ReadonlyArray<Front> =>
  rows.flatMap((row) =>
    Option.match(decodeFront(row), {
      onNone: () => [],
      onSome: (front) => [
        {
          lane: front.lane,
          maxFeePerGas: front.max_fee_per_gas,
          createdAtMs: front.created_at.getTime(),
          pending: front.nonces.map((nonce, index) => ({ nonce, reserved: front.reserved[index] ?? 0n }))
        }
      ]
    })
  )

const later = (transaction: RelayTransaction, millis: number): RelayTransaction => {
  const { attempts, reopened } = transaction
  if (millis === 0) return transaction
  return {
    ...transaction,
    attempts: attempts.map(({ broadcastAtMs, signedAtMs, ...attempt }) => ({
      ...attempt,
      signedAtMs: signedAtMs + millis,
      ...(broadcastAtMs === undefined ? {} : { broadcastAtMs: broadcastAtMs + millis })
    })),
    ...(reopened === undefined ? {} : { reopened: { ...reopened, atMs: reopened.atMs + millis } })
  }
}

/**
 * Reads rows of `orchestrator.relay_transactions`. Each is decoded by itself, so that one that cannot be read does not hold the
 * others. `laterMillis` is added to the times of their versions.
 */
export const decode = (
  rows: ReadonlyArray<{ readonly id: bigint }>,
  known: ReadonlyMap<Hash, Hex>,
  laterMillis: number
): Survey => {
  const transactions: Array<RelayTransaction> = []
  const unreadable: Array<UnreadableTransaction> = []
  for (const row of rows) {
    const read = Result.flatMap(decodeRow(row), (decoded) => Result.try(() => toTransaction(known)(decoded)))
    if (Result.isSuccess(read)) transactions.push(later(read.success, laterMillis))
    else unreadable.push({ id: String(row.id), detail: String(read.failure) })
  }
  return { transactions, unreadable }
}
