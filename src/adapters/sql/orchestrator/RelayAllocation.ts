/**
 * Signs a transaction with the lane's next nonce, as far as this process knows it, and stores the signed bytes together with the nonce:
 * all or nothing, in one exchange with the database. If another process has taken the nonce, it signs again with the next one. Bytes
 * that are not stored are sent to nobody.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Semaphore } from "effect"
import { hasSlot } from "../../../domain/LaneSlots.ts"
import type { Attempt } from "../../../ports/orchestrator/RelayTransactions.ts"
import {
  IntentTaken,
  LaneClosed,
  LaneFull,
  type RelayTransaction,
  type RelayTransactions
} from "../../../ports/orchestrator/RelayTransactions.ts"
import { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { bytes as hexBytes, guarded, timestamp } from "../shared/Database.ts"
import type * as RelayTransactionRow from "./RelayTransactionRow.ts"

type Allocate = RelayTransactions["Service"]["allocate"]

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
  { chainId, chainNonce, intentIds, lane, reserve = 0n }: Omit<Parameters<Allocate>[0], "sign">,
  nonce: bigint,
  attempt: Attempt,
  millis: number
) =>
  sql<Answer>`
    SELECT * FROM orchestrator.allocate_nonce(
      ${chainId}::bigint, ${lane}, ${chainNonce}::bigint, ${intentIds}::text[], ${String(reserve)}::numeric, ${timestamp(millis)},
      ${nonce}::bigint, ${attempt.hash}, ${hexBytes(attempt.raw)}, ${String(attempt.maxFeePerGas)}::numeric,
      ${String(attempt.maxPriorityFeePerGas)}::numeric, ${timestamp(attempt.signedAtMs)}
    )`.pipe(
    Effect.mapError((error) =>
      error.reason._tag === "UniqueViolation" && error.reason.constraint.startsWith("relay_transaction_intents_")
        ? new IntentTaken({ intentIds })
        : error
    ),
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

  const signed: Allocate = Effect.fnUntraced(function* (options) {
    const { chainId, chainNonce, intentIds, lane, slots } = options
    const known = laneOf(options)
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const nonce = known.next > chainNonce ? known.next : chainNonce
      // Exact among processes, too: bytes are stored only if their nonce is the lane's next one.
      if (slots !== undefined && !hasSlot(nonce, chainNonce, slots)) {
        // The next allocation asks the database what the nonce is.
        known.next = 0n
        return yield* new LaneFull({ lane, nonce })
      }
      const attempt = yield* options.sign(nonce)
      const millis = yield* Clock.currentTimeMillis
      const [answer] = yield* store(sql, options, nonce, attempt, millis)
      if (answer === undefined) return yield* Effect.die(new Error("an allocation has an answer"))
      if (!answer.is_open) return yield* new LaneClosed({ lane })
      if (answer.taken.length > 0) return yield* new IntentTaken({ intentIds: answer.taken })
      if (answer.allocated === null) {
        known.next = answer.free_nonce
        continue
      }
      known.next = nonce + 1n
      bytes.remember(attempt.hash, attempt.raw)
      const transaction: RelayTransaction = {
        id: String(answer.allocated),
        chainId,
        lane,
        nonce,
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
