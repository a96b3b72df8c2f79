/**
 * Signs a transaction with the lane's next nonce, as far as this process knows it, and stores the signed bytes together with the nonce:
 * all or nothing, in one exchange with the database. If another process has taken the nonce, it signs again with the next one. Bytes
 * that are not stored are sent to nobody.
 *
 * A lane may have missed nonces, since an endpoint named a transaction count that was too high and no second one contradicted it. Then
 * no later transaction can be mined. Missed nonces are used once the lane's next nonce has no slot, the lowest one first.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { hasSlot, LANE_SLOTS, missedNonce, type StoredNonces } from "../../../domain/LaneSlots.ts"
import type { Attempt } from "../../../ports/orchestrator/RelayTransactions.ts"
import {
  IntentTaken,
  LaneClosed,
  LaneFull,
  type RelayTransaction,
  type RelayTransactions
} from "../../../ports/orchestrator/RelayTransactions.ts"
import { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { bytes as hexBytes, guarded, timestamp } from "../shared/Database.ts"
import type * as RelayTransactionRow from "./RelayTransactionRow.ts"

type Allocate = RelayTransactions["Service"]["allocate"]

type Wanted = Omit<Parameters<Allocate>[0], "sign">

/** Answer of `orchestrator.allocate_nonce`. */
interface Answer {
  /** Next nonce of the lane, unless this call has taken it. */
  readonly free_nonce: bigint
  /** Id of the stored transaction. Null if nothing was stored. */
  readonly allocated: bigint | null
  /** Intents that are not free. */
  readonly taken: ReadonlyArray<string>
  readonly is_open: boolean
}

/** Signatures for one transaction. One process of several that share a lane is faster each time, so this many are never needed. */
const MOST_TRIES = 50

/** A lane of a chain as this process knows it. */
interface Known {
  /** Its next nonce as of the last allocation here. */
  next: bigint
  /** Of those that sign at once, only one could be stored. */
  readonly turn: Semaphore.Semaphore
}

/** Stores the transaction if the nonce is the lane's next one, the lane is open and every intent is free. */
const store = (
  sql: PgClient.PgClient,
  { chainId, chainNonce, intentIds, lane, reserve = 0n }: Wanted,
  nonce: bigint,
  attempt: Attempt,
  millis: number
) =>
  Effect.flatMap(
    boundedTime(sql, attempt.signedAtMs),
    (signedAt) => sql<Answer>`
    SELECT * FROM orchestrator.allocate_nonce(
      ${chainId}::bigint, ${lane}, ${chainNonce}::bigint, ${intentIds}::text[], ${String(reserve)}::numeric, ${timestamp(millis)},
      ${nonce}::bigint, ${attempt.hash}, ${hexBytes(attempt.raw)}, ${String(attempt.maxFeePerGas)}::numeric,
      ${String(attempt.maxPriorityFeePerGas)}::numeric, ${signedAt}
    )`
  ).pipe(
    Effect.mapError((error) =>
      error.reason._tag === "UniqueViolation" && error.reason.constraint.startsWith("relay_transaction_intents_")
        ? new IntentTaken({ intentIds })
        : error
    ),
    guarded("allocate")
  )

/** Nonce of a transaction. */
interface Chosen {
  readonly nonce: bigint
  /** True if later nonces are allocated, and no transaction has this one. */
  readonly isMissed: boolean
}

/** Nonces of the lane in its slots. Undefined before its first transaction. */
const storedNonces = (
  sql: PgClient.PgClient,
  { chainId, chainNonce, lane, slots = LANE_SLOTS }: Wanted
): Effect.Effect<StoredNonces | undefined, SqlError> => {
  const isAbove = sql`chain_id = ${chainId} AND lane = ${lane} AND nonce >= ${String(chainNonce)}::bigint`
  return Effect.map(
    sql<{ next: string; taken: ReadonlyArray<string>; mined: string | null }>`
      WITH used AS (
        SELECT nonce, included_hash IS NOT NULL AS mined FROM orchestrator.relay_transactions WHERE ${isAbove}
        UNION ALL SELECT nonce, true FROM orchestrator.lost_transactions WHERE ${isAbove}
        UNION ALL SELECT nonce, false FROM orchestrator.lane_withdrawals WHERE ${isAbove}
      )
      SELECT next_nonce::text AS next, (SELECT max(nonce)::text FROM used WHERE mined) AS mined,
        ARRAY(SELECT nonce::text FROM used WHERE nonce < ${String(chainNonce + slots)}::bigint) AS taken
      FROM orchestrator.lanes WHERE chain_id = ${chainId} AND lane = ${lane}`,
    ([row]) =>
      row === undefined
        ? undefined
        : {
            next: BigInt(row.next),
            taken: row.taken.map(BigInt),
            ...(row.mined === null ? {} : { lastMined: BigInt(row.mined) })
          }
  )
}

const missedIn = (stored: StoredNonces, { chainNonce, slots }: Wanted) => missedNonce(stored, chainNonce, slots)

/** Reads the lane's missed nonce. Undefined if it has none. */
const missed = Effect.fnUntraced(function* (sql: PgClient.PgClient, wanted: Wanted) {
  const stored = yield* storedNonces(sql, wanted)
  return stored === undefined ? undefined : missedIn(stored, wanted)
}, guarded("allocate"))

/**
 * Stores the transaction with a missed nonce. The lane's next nonce stays as it is. Undefined if another process has taken the nonce.
 */
const storeMissed = Effect.fnUntraced(
  function* (sql: PgClient.PgClient, wanted: Wanted, nonce: bigint, attempt: Attempt, millis: number) {
    const { chainId, lane } = wanted
    const setNext = (next: bigint) => sql`
      UPDATE orchestrator.lanes SET next_nonce = ${String(next)}::bigint WHERE chain_id = ${chainId} AND lane = ${lane}`
    // The lock makes allocations of the lane wait, so that later reads hold until the end.
    yield* sql`SELECT FROM orchestrator.lanes WHERE chain_id = ${chainId} AND lane = ${lane} FOR UPDATE`
    const stored = yield* storedNonces(sql, wanted)
    if (stored === undefined || missedIn(stored, wanted) !== nonce) return undefined
    yield* setNext(nonce)
    const [answer] = yield* store(sql, wanted, nonce, attempt, millis)
    yield* setNext(stored.next)
    return answer
  },
  (effect, sql) => sql.withTransaction(effect),
  guarded("allocate")
)

export const allocate = (sql: PgClient.PgClient, bytes: RelayTransactionRow.SignedBytes): Allocate => {
  const lanes = new Map<string, Known>()

  const laneOf = ({ chainId, lane }: Pick<Parameters<Allocate>[0], "chainId" | "lane">): Known => {
    const key = `${chainId}:${lane}`
    const found = lanes.get(key) ?? { next: 0n, turn: Semaphore.makeUnsafe(1) }
    lanes.set(key, found)
    return found
  }

  /** Stores what was signed with the lane's next nonce, or with a missed one. Undefined if another process was faster. */
  const storedWith = Effect.fnUntraced(function* (
    options: Wanted,
    { isMissed, nonce }: Chosen,
    attempt: Attempt,
    millis: number
  ) {
    const known = laneOf(options)
    const answer = isMissed
      ? yield* storeMissed(sql, options, nonce, attempt, millis)
      : (yield* store(sql, options, nonce, attempt, millis))[0]
    if (answer === undefined) return undefined
    if (!answer.is_open) return yield* new LaneClosed({ lane: options.lane })
    if (answer.taken.length > 0) return yield* new IntentTaken({ intentIds: answer.taken })
    if (!isMissed) known.next = answer.allocated === null ? answer.free_nonce : nonce + 1n
    return answer.allocated ?? undefined
  })

  /** The lane's next nonce as far as this process knows, or one that was missed if that one has no slot. */
  const choose = Effect.fnUntraced(function* (options: Wanted) {
    const { chainNonce, lane, slots } = options
    const known = laneOf(options)
    const next = known.next > chainNonce ? known.next : chainNonce
    // Exact among processes, too: bytes are stored only if their nonce is the lane's next one.
    if (slots === undefined || hasSlot(next, chainNonce, slots)) return { nonce: next, isMissed: false }
    const nonce = yield* missed(sql, options)
    if (nonce !== undefined) return { nonce, isMissed: true }
    // The next allocation asks the database what the nonce is.
    known.next = 0n
    return yield* new LaneFull({ lane, nonce: next })
  })

  const signed: Allocate = Effect.fnUntraced(function* (options) {
    const { chainId, intentIds, lane } = options
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const chosen = yield* choose(options)
      const attempt = yield* options.sign(chosen.nonce)
      const millis = yield* Clock.currentTimeMillis
      const id = yield* storedWith(options, chosen, attempt, millis)
      if (id === undefined) continue
      bytes.remember(attempt.hash, attempt.raw)
      const transaction: RelayTransaction = {
        id: String(id),
        chainId,
        lane,
        nonce: chosen.nonce,
        kind: intentIds.length === 0 ? "cancel" : "sweep",
        intentIds,
        status: "pending",
        attempts: [attempt],
        createdAtMs: millis
      }
      return transaction
    }
    return yield* new StoreUnavailable({
      operation: "allocate",
      detail: `other processes took the nonce of ${lane} ${MOST_TRIES} times`
    })
  })
  return (options) => laneOf(options).turn.withPermit(signed(options))
}
