/** The queue of submitted intents: claims and releases of leases, and intents whose deadline has passed. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Intent, Intents } from "../../../ports/orchestrator/Intents.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

const oldestFirst = (a: Intent, b: Intent) => (a.submittedAtMs ?? 0) - (b.submittedAtMs ?? 0) || (a.id < b.id ? -1 : 1)

/** A claim that nobody reads after all is free again when its lease ends. */
export const claim = (sql: PgClient.PgClient, { decode }: UnreadableIntents["Service"]): Intents["Service"]["claim"] =>
  Effect.fnUntraced(function* ({ chainId, leaseMillis, limit, order = "oldest", worker }) {
    const millis = yield* Clock.currentTimeMillis
    const claimed = yield* sql<{ id: string }>`
      SELECT orchestrator.claim_intents(
        ${chainId}::bigint, ${text(worker)}, ${yield* boundedTime(sql, millis)}, ${yield* boundedTime(sql, millis + leaseMillis)},
        ${limit}::bigint,
        ${order === "oldest"}
      ) AS id`
    if (claimed.length === 0) return []
    // A statement sees no row that was stored while it waited for the lock, so this is another one.
    const rows = yield* sql<IntentRow.IntentRow>`
      SELECT ${IntentTables.columns(sql)}
      FROM unnest(${IntentTables.ids(
        sql,
        claimed.map(({ id }) => id)
      )}) leased (id)
      ${IntentTables.states(sql, "leased.id")} ${IntentTables.documents(sql)}`
    return (yield* decode(rows, IntentRow.toIntent)).toSorted(oldestFirst)
  }, guarded("claim"))

/** Condition on a row of the queue: no other worker has leased it, or has put it off. */
export const isHeldBy = (sql: PgClient.PgClient, worker: string | undefined) =>
  worker === undefined
    ? sql`true`
    : sql`(lease_worker = ${text(worker)} OR (lease_worker IS NULL AND not_before IS NULL))`

export const release = (sql: PgClient.PgClient): Intents["Service"]["release"] =>
  Effect.fnUntraced(function* (ids, { notBeforeMs, waitingFor, worker } = {}) {
    const notBefore = notBeforeMs === undefined ? null : yield* boundedTime(sql, notBeforeMs)
    yield* sql`
      WITH released AS (
        SELECT intent_id FROM orchestrator.intent_queue WHERE intent_id = ANY(${IntentTables.ids(sql, ids)}) AND ${isHeldBy(sql, worker)}
        ORDER BY intent_id FOR UPDATE
      )
      UPDATE orchestrator.intent_queue q
      SET lease_worker = NULL, lease_until = NULL, not_before = ${notBefore},
        waiting_for = ${waitingFor ?? null}
      FROM released WHERE q.intent_id = released.intent_id`
  }, guarded("release"))

export const waiting = (sql: PgClient.PgClient): Intents["Service"]["waiting"] =>
  Effect.fnUntraced(function* (chainId, cause) {
    const [row] = yield* sql<{ count: number }>`
      SELECT count(*)::int AS count FROM orchestrator.intent_queue
      WHERE source_chain_id = ${chainId} AND waiting_for = ${cause}`
    return row?.count ?? 0
  }, guarded("waiting"))

const EARLIEST: { readonly deadline: bigint; readonly without: ReadonlyArray<string> } = { deadline: 0n, without: [] }

export const overdue = (
  sql: PgClient.PgClient,
  { decode, ids }: UnreadableIntents["Service"]
): Intents["Service"]["overdue"] =>
  Effect.fnUntraced(function* (chainId, before, limit, { deadline, without } = EARLIEST) {
    const rows = yield* sql<IntentRow.IntentRow>`
      SELECT ${IntentTables.columns(sql)}
      FROM (
        SELECT intent_id FROM orchestrator.intent_queue
        WHERE source_chain_id = ${chainId} AND deadline < ${String(before)}::numeric
          AND deadline >= ${String(deadline)}::numeric AND intent_id <> ALL(${[...ids(), ...without]})
        ORDER BY deadline
        LIMIT ${limit}
      ) q
      ${IntentTables.states(sql, "q.intent_id")} ${IntentTables.documents(sql)}
      ORDER BY s.deadline`
    return yield* decode(rows, IntentRow.toIntent)
  }, guarded("overdue"))
