/** The queue of submitted intents: claims and releases of leases, and intents whose deadline has passed. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Intent, Intents } from "../../../ports/orchestrator/Intents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

const oldestFirst = (a: Intent, b: Intent) => (a.submittedAtMs ?? 0) - (b.submittedAtMs ?? 0) || (a.id < b.id ? -1 : 1)

export const claim = (sql: PgClient.PgClient, { decode }: UnreadableIntents["Service"]): Intents["Service"]["claim"] =>
  Effect.fnUntraced(function* ({ chainId, leaseMillis, limit, worker }) {
    const millis = yield* Clock.currentTimeMillis
    const at = timestamp(millis)
    const rows = yield* sql.withTransaction(
      Effect.andThen(
        // "None in flight for the owner" depends on rows that the statement does not lock, so two claims of one chain must not
        // overlap. Locked rows, such as those of an allocation that waits for a signature, are skipped.
        // OFFSET 0 keeps both subqueries as look-ups for each candidate. Otherwise a claim could read the whole queue.
        // Without sorts, the planner takes the index in the order of the claim, and so reads no more candidates than it needs.
        sql`SELECT pg_advisory_xact_lock(hashtextextended(${`token-sweep.claim.${chainId}`}, 0)),
          ${IntentTables.byKeys(sql)}, set_config('enable_sort', 'off', true)`,
        sql<IntentRow.IntentRow>`
          WITH free AS (
            SELECT c.intent_id, c.account, c.submitted_at FROM orchestrator.intent_queue c
            WHERE c.source_chain_id = ${chainId}
              AND (c.lease_until IS NULL OR c.lease_until <= ${at})
              AND (c.not_before IS NULL OR c.not_before <= ${at})
              AND NOT EXISTS (
                SELECT FROM orchestrator.relay_transaction_intents l
                WHERE l.active AND l.account = c.account
                OFFSET 0
              )
              AND NOT EXISTS (
                SELECT FROM orchestrator.intent_queue o
                WHERE o.account = c.account AND o.intent_id <> c.intent_id
                  AND (
                    o.lease_until > ${at}
                    OR (o.not_before IS NULL OR o.not_before <= ${at})
                      AND (o.submitted_at, o.intent_id) < (c.submitted_at, c.intent_id)
                  )
                OFFSET 0
              )
            ORDER BY c.submitted_at, c.intent_id
            LIMIT ${limit}
            FOR UPDATE SKIP LOCKED
          ), sibling AS (
            SELECT q.intent_id, free.intent_id AS oldest
            FROM free ${IntentTables.sweeps(sql, "free.intent_id")}
            CROSS JOIN LATERAL unnest(w.intent_ids) AS leg (id)
            JOIN orchestrator.intent_queue q ON q.intent_id = leg.id
            WHERE q.account = free.account AND q.intent_id <> free.intent_id
              AND (q.lease_until IS NULL OR q.lease_until <= ${at})
              AND (q.not_before IS NULL OR q.not_before <= ${at})
            FOR UPDATE OF q SKIP LOCKED
          ), counted AS (
            SELECT legs.ids, sum(cardinality(legs.ids)) OVER (ORDER BY free.submitted_at, free.intent_id) AS total
            FROM free CROSS JOIN LATERAL (
              SELECT free.intent_id || array_agg(intent_id) AS ids FROM sibling WHERE oldest = free.intent_id
            ) legs
          ), taken AS (
            SELECT unnest(ids) AS intent_id FROM counted WHERE total <= ${limit} OR total = cardinality(ids)
          ), leased AS (
            UPDATE orchestrator.intent_queue q
            SET lease_worker = ${text(worker)}, lease_until = ${timestamp(millis + leaseMillis)}, not_before = NULL
            FROM taken WHERE q.intent_id = taken.intent_id
            RETURNING q.intent_id
          )
          SELECT ${IntentTables.columns(sql)}
          FROM leased ${IntentTables.states(sql, "leased.intent_id")} ${IntentTables.documents(sql)}`
      )
    )
    return (yield* decode(rows, IntentRow.toIntent)).toSorted(oldestFirst)
  }, guarded("claim"))

export const release = (sql: PgClient.PgClient): Intents["Service"]["release"] =>
  Effect.fnUntraced(function* (ids, notBeforeMs, waitingFor) {
    yield* sql`
      WITH released AS (
        SELECT intent_id FROM orchestrator.intent_queue WHERE intent_id = ANY(${IntentTables.ids(sql, ids)})
        ORDER BY intent_id FOR UPDATE
      )
      UPDATE orchestrator.intent_queue q
      SET lease_worker = NULL, lease_until = NULL, not_before = ${notBeforeMs === undefined ? null : timestamp(notBeforeMs)},
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

export const overdue = (
  sql: PgClient.PgClient,
  { decode, ids }: UnreadableIntents["Service"]
): Intents["Service"]["overdue"] =>
  Effect.fnUntraced(function* (chainId, before, limit) {
    const rows = yield* sql<IntentRow.IntentRow>`
      SELECT ${IntentTables.columns(sql)}
      FROM (
        SELECT intent_id FROM orchestrator.intent_queue
        WHERE source_chain_id = ${chainId} AND deadline < ${String(before)}::numeric AND intent_id <> ALL(${ids()})
        ORDER BY deadline
        LIMIT ${limit}
      ) q
      ${IntentTables.states(sql, "q.intent_id")} ${IntentTables.documents(sql)}
      ORDER BY s.deadline`
    return yield* decode(rows, IntentRow.toIntent)
  }, guarded("overdue"))
