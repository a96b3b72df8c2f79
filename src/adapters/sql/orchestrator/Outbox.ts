/** The outbox in PostgreSQL. A lease ends by itself, so a message is due again if its deliverer dies. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option, Result, Schema } from "effect"
import * as TraceContext from "../../../domain/TraceContext.ts"
import { Outbox, type OutboxEntry } from "../../../ports/orchestrator/Outbox.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Gathered from "../shared/Gathered.ts"
import { OutboxMessageJson } from "./OutboxMessageJson.ts"
import * as SweepEventSql from "./SweepEventSql.ts"

interface EntryRow {
  readonly id: bigint
  readonly message: unknown
  readonly attempts: number
  readonly was_due_at: Date
  readonly trace: string | null
}

const decodeMessage = Schema.decodeUnknownResult(OutboxMessageJson)

/** Each message is decoded by itself, so that one that cannot be read does not hold its batch. */
const toEntry = ({ attempts, id, message, trace }: EntryRow): OutboxEntry => ({
  id: String(id),
  message: Result.match(decodeMessage(message), {
    onSuccess: (decoded): OutboxEntry["message"] => decoded,
    onFailure: (error) => ({ _tag: "Unreadable", detail: String(error) })
  }),
  attempts,
  ...Option.match(TraceContext.fromBytes(trace ?? ""), { onNone: () => ({}), onSome: (known) => ({ trace: known }) })
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const now = Effect.map(Clock.currentTimeMillis, timestamp)

  const claim: Outbox["Service"]["claim"] = Effect.fnUntraced(function* ({ leaseMillis, limit, topic }) {
    const millis = yield* Clock.currentTimeMillis
    const present = yield* boundedTime(sql, millis)
    const leasedUntil = yield* boundedTime(sql, millis + leaseMillis)
    const rows = yield* sql<EntryRow>`
      WITH due AS (
        SELECT id, due_at FROM orchestrator.outbox
        WHERE state = 'pending' AND topic = ${topic} AND due_at <= ${present}
          AND (held_until IS NULL OR held_until <= ${present})
        ORDER BY due_at, id
        LIMIT ${limit}
        FOR UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE orchestrator.outbox o SET held_until = ${leasedUntil}
        FROM due WHERE o.id = due.id
        RETURNING o.*, due.due_at AS was_due_at
      )
      SELECT o.id, coalesce(o.message, ${sql.literal(SweepEventSql.message)}) AS message, o.attempts, o.was_due_at,
        '0x' || encode(m.trace, 'hex') AS trace
      FROM claimed o
      LEFT JOIN LATERAL (
        SELECT * FROM orchestrator.intent_states m WHERE m.id = o.intent_id OFFSET 0
      ) m ON true
      LEFT JOIN LATERAL (SELECT * FROM orchestrator.intent_terms t WHERE t.number = m.number AND o.message IS NULL OFFSET 0) t ON true`
    return rows.toSorted((a, b) => a.was_due_at.getTime() - b.was_due_at.getTime() || Number(a.id - b.id)).map(toEntry)
  }, guarded("outbox.claim"))

  const acknowledge = yield* Gathered.make({
    statements: 1,
    questions: 100,
    run: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      // A delivered event is of no further use: the history has its status, and the receiver its content.
      yield* sql`
        WITH told AS (
          DELETE FROM orchestrator.outbox WHERE id = ANY(${ids}::bigint[]) AND topic = 'events'
        )
        UPDATE orchestrator.outbox SET state = 'delivered', detail = NULL, closed_at = ${yield* now}
        WHERE id = ANY(${ids}::bigint[]) AND topic = 'ledger' AND state <> 'delivered'`
      return ids.map(() => "noted" as const)
    }, guarded("outbox.acknowledge"))
  })

  const defer = Effect.fnUntraced(function* (id: string, nextAttemptMs: number, detail: string) {
    yield* sql`
      UPDATE orchestrator.outbox
      SET attempts = attempts + 1, due_at = ${yield* boundedTime(sql, nextAttemptMs)}, held_until = NULL,
        detail = ${text(detail)}
      WHERE id = ${id}::bigint AND state = 'pending'`
  }, guarded("outbox.defer"))

  const reject = Effect.fnUntraced(function* (id: string, detail: string) {
    yield* sql`
      UPDATE orchestrator.outbox SET state = 'rejected', held_until = NULL, detail = ${text(detail)},
        closed_at = ${yield* now}
      WHERE id = ${id}::bigint AND state = 'pending'`
  }, guarded("outbox.reject"))

  const reopen = Effect.fnUntraced(function* (id: string) {
    const reopened = yield* sql`
      UPDATE orchestrator.outbox SET state = 'pending', due_at = ${yield* boundedTime(sql, yield* Clock.currentTimeMillis)}, held_until = NULL, closed_at = NULL
      WHERE id = ${id}::bigint AND state = 'rejected' RETURNING id`
    if (reopened.length > 0) return "reopened" as const
    const pending =
      yield* sql`SELECT 1 AS pending FROM orchestrator.outbox WHERE id = ${id}::bigint AND state = 'pending'`
    return pending.length > 0 ? ("pending" as const) : ("gone" as const)
  }, guarded("outbox.reopen"))

  const counts = sql<{ pending: bigint; rejected: bigint }>`
    SELECT
      (SELECT count(*) FROM orchestrator.outbox WHERE state = 'pending' AND topic = 'ledger') AS pending,
      (SELECT count(*) FROM orchestrator.outbox WHERE state = 'rejected' AND topic = 'ledger') AS rejected`.pipe(
    Effect.map(([row]) => ({ pending: Number(row?.pending ?? 0), rejected: Number(row?.rejected ?? 0) })),
    guarded("outbox.counts"),
    Effect.withSpan("Outbox.counts")
  )

  return Outbox.of({ claim, acknowledge: (id) => Effect.asVoid(acknowledge(id)), defer, reject, reopen, counts })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(Outbox, make)
