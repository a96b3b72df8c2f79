/** {@link LaneBook} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option } from "effect"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import * as Address from "../../../domain/Address.ts"
import type { LaneState } from "../../../domain/LaneState.ts"
import { LaneBook, type Withdrawal } from "../../../ports/orchestrator/LaneBook.ts"
import type { NewOperatorRecord } from "../../../ports/shared/Overrides.ts"
import * as ChangeLog from "../shared/ChangeLog.ts"
import * as IntentTables from "./IntentTables.ts"
import { bytes, guarded, timestamp } from "../shared/Database.ts"

type Sql = PgClient.PgClient
type Shape = LaneBook["Service"]

/** Adds a record. Call it in the transaction of the change. */
const record = (sql: Sql, added: NewOperatorRecord) => ChangeLog.record(sql, "orchestrator", added)

const states = (sql: Sql): Shape["states"] =>
  Effect.gen(function* () {
    const rows = yield* sql<{ lane: string; state: LaneState; since: Date }>`
      SELECT lane, state, since FROM orchestrator.lane_states`
    return new Map(
      rows.map(({ lane, since, state }) => [Address.stored(lane), { state, sinceMs: since.getTime() }] as const)
    )
  }).pipe(guarded("LaneBook.states"))

const inFlight = (sql: Sql): Shape["inFlight"] =>
  Effect.fnUntraced(function* (lane) {
    const rows = yield* sql<{ chain_id: bigint; count: bigint }>`
      SELECT chain_id, count(*) AS count FROM orchestrator.relay_transactions
      WHERE lane = ${lane} AND status <> 'final' GROUP BY chain_id`
    return new Map(rows.map(({ chain_id, count }) => [Number(chain_id), Number(count)]))
  }, guarded("LaneBook.inFlight"))

const move = (sql: Sql): Shape["move"] =>
  Effect.fnUntraced(
    function* (lane, from, to, change, others) {
      // Each statement after the lock sees the changes before it.
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('lane_states', 0))`
      const at = timestamp(yield* Clock.currentTimeMillis)
      const moved = yield* sql`INSERT INTO orchestrator.lane_states AS s (lane, state, since)
        SELECT ${lane}, ${to}, ${at}::timestamptz
        WHERE (${from} = 'active' OR EXISTS (SELECT FROM orchestrator.lane_states WHERE lane = ${lane}))
          AND (${to} <> 'retired' OR NOT EXISTS (
            SELECT FROM orchestrator.relay_transactions WHERE lane = ${lane} AND status <> 'final'))
          AND (${from} <> 'active' OR ${others === undefined} OR EXISTS (
            SELECT FROM unnest(${IntentTables.ids(sql, others ?? [])}) AS o (lane) WHERE NOT EXISTS (
              SELECT FROM orchestrator.lane_states l WHERE l.lane = o.lane AND l.state <> 'active')))
        ON CONFLICT (lane) DO UPDATE SET state = excluded.state, since = excluded.since WHERE s.state = ${from}
        RETURNING lane`
      if (moved.length === 0) return false
      yield* record(sql, change)
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("LaneBook.move")
  )

interface WithdrawalRow {
  readonly chain_id: bigint
  readonly lane: string
  readonly nonce: bigint
  readonly recipient: string
  readonly amount: string
  readonly hash: Hash
  readonly raw: Uint8Array
}

const toWithdrawal = (row: WithdrawalRow): Withdrawal => ({
  chainId: Number(row.chain_id),
  lane: Address.stored(row.lane),
  nonce: row.nonce,
  recipient: Address.stored(row.recipient),
  amount: BigInt(row.amount),
  hash: row.hash,
  raw: `0x${Buffer.from(row.raw).toString("hex")}` satisfies Hex
})

const withdrawal = (sql: Sql): Shape["withdrawal"] =>
  Effect.fnUntraced(function* (chainId, lane, nonce) {
    const rows = yield* sql<WithdrawalRow>`
      SELECT chain_id, lane, nonce, recipient, amount::text AS amount, hash, raw FROM orchestrator.lane_withdrawals
      WHERE chain_id = ${chainId} AND lane = ${lane} AND nonce = ${nonce}`
    return Option.map(Option.fromUndefinedOr(rows[0]), toWithdrawal)
  }, guarded("LaneBook.withdrawal"))

const lastWithdrawals = (sql: Sql): Shape["lastWithdrawals"] =>
  Effect.fnUntraced(function* (lane) {
    const rows = yield* sql<{ chain_id: bigint; nonce: bigint }>`
      SELECT chain_id, max(nonce) AS nonce FROM orchestrator.lane_withdrawals WHERE lane = ${lane} GROUP BY chain_id`
    return new Map(rows.map(({ chain_id, nonce }) => [Number(chain_id), nonce]))
  }, guarded("LaneBook.lastWithdrawals"))

const withdraw = (sql: Sql): Shape["withdraw"] =>
  Effect.fnUntraced(
    function* (wanted, change) {
      const { amount, chainId, hash, lane, nonce, raw, recipient } = wanted
      // The lock holds back another replica that takes the lane into use again.
      const retired = yield* sql`SELECT 1 FROM orchestrator.lane_states
        WHERE lane = ${lane} AND state = 'retired' FOR SHARE`
      if (retired.length === 0) return Option.none()
      const added = yield* sql`
        INSERT INTO orchestrator.lane_withdrawals (chain_id, lane, nonce, recipient, amount, hash, raw, signed_at)
        VALUES (${chainId}, ${lane}, ${nonce}, ${recipient}, ${String(amount)}::numeric, ${hash}, ${bytes(raw)},
          ${timestamp(yield* Clock.currentTimeMillis)})
        ON CONFLICT (chain_id, lane, nonce) DO NOTHING RETURNING nonce`
      if (added.length > 0) {
        yield* record(sql, change)
        return Option.some(wanted)
      }
      return yield* withdrawal(sql)(chainId, lane, nonce)
    },
    (effect) => sql.withTransaction(effect),
    guarded("LaneBook.withdraw")
  )

const log = (sql: Sql): Shape["log"] =>
  Effect.fnUntraced(function* (limit) {
    const rows = yield* sql<{
      id: bigint
      at: Date
      actor: string
      action: string
      subject: string
      details: Readonly<Record<string, string>>
    }>`SELECT id, at, actor, action, subject, details FROM orchestrator.operator_log ORDER BY id DESC LIMIT ${limit}`
    return rows.map(({ at, id, ...rest }) => ({ ...rest, id: String(id), atMs: at.getTime() }))
  }, guarded("LaneBook.log"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  LaneBook,
  Effect.map(PgClient.PgClient, (sql) => ({
    states: states(sql),
    inFlight: inFlight(sql),
    move: move(sql),
    withdrawal: withdrawal(sql),
    lastWithdrawals: lastWithdrawals(sql),
    withdraw: withdraw(sql),
    note: (change) => record(sql, change).pipe(guarded("LaneBook.note")),
    log: log(sql)
  }))
)
