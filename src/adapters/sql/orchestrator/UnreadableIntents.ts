/**
 * Intents whose rows cannot be decoded. Each is set aside with an alert, so that it holds no other intent of its queue. It
 * returns to its queues after its row was mended.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { Alerts } from "../../../ports/shared/Alerts.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import { decodeEach, type Unreadable } from "../shared/EachRow.ts"
import * as OrchestratorAlerts from "./Alerts.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"

const KIND = "intent_unreadable"

const keyOf = (id: string) => `${KIND}:${id}`

/** Postponement of an intent in its queues. Ends when its row can be read. */
const SET_ASIDE_MILLIS = 24 * 60 * 60_000

/** Interval at which rows that are set aside are read again. */
const RECHECK = Schedule.spaced("30 seconds")

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const alerts = yield* Alerts
  let aside: ReadonlySet<string> = new Set()

  /** The postponement is stored, so that no other process takes the row, and the owner's other intents take their turn. */
  const postpone = (ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const until = yield* boundedTime(sql, (yield* Clock.currentTimeMillis) + SET_ASIDE_MILLIS)
      yield* sql`
        WITH queued AS (
          UPDATE orchestrator.intent_queue SET lease_worker = NULL, lease_until = NULL, not_before = ${until}
          WHERE intent_id = ANY(${ids})
        )
        UPDATE orchestrator.intent_deliveries SET look_at = ${until} WHERE intent_id = ANY(${ids})`
    })

  const setAside = Effect.fnUntraced(function* (failures: ReadonlyArray<Unreadable>) {
    const fresh = failures.filter(({ id }) => !aside.has(id))
    for (const { detail, id } of fresh) {
      yield* Effect.logError("intent.unreadable").pipe(Effect.annotateLogs({ intentId: id, detail }))
      yield* alerts.raise({
        key: keyOf(id),
        severity: "critical",
        kind: KIND,
        message: `The stored row of intent ${id} cannot be read, so nothing is sent or concluded for it. Restore its row in orchestrator.intent_terms or intent_signatures. The service reads it again every 30 seconds.`,
        details: { intentId: id, detail }
      })
    }
    yield* postpone(failures.map(({ id }) => id))
    aside = new Set([...aside, ...fresh.map(({ id }) => id)])
  }, guarded("setAside"))

  const recheck = Effect.gen(function* () {
    const rows = yield* sql<{ readonly intent_id: string; readonly known: boolean } & IntentRow.IntentRow>`
      SELECT a.details ->> 'intentId' AS intent_id, i.id IS NOT NULL AS known, i.*
      FROM orchestrator.alerts a LEFT JOIN (
        SELECT ${IntentTables.columns(sql)} FROM orchestrator.intent_states s ${IntentTables.documents(sql)}
      ) i ON i.id = a.details ->> 'intentId'
      WHERE a.cleared_at IS NULL AND a.kind = ${KIND}`
    const { failures } = decodeEach(
      rows.filter(({ known }) => known),
      IntentRow.toIntent
    )
    const unreadable = new Set(failures.map(({ id }) => id))
    const mended = rows.map((row) => row.intent_id).filter((id) => !unreadable.has(id))
    aside = unreadable
    if (mended.length === 0) return
    yield* sql`
      WITH queued AS (
        UPDATE orchestrator.intent_queue q
        SET not_before = (SELECT g.not_before FROM orchestrator.given_up_intents g WHERE g.intent_id = q.intent_id)
        WHERE intent_id = ANY(${mended})
      )
      UPDATE orchestrator.intent_deliveries SET look_at = ${timestamp(yield* Clock.currentTimeMillis)}
      WHERE intent_id = ANY(${mended})`
    yield* Effect.forEach(mended, (id) => alerts.clear(keyOf(id)), { discard: true })
    yield* Effect.logInfo("intent.readable").pipe(Effect.annotateLogs({ intents: mended.join(",") }))
  }).pipe(guarded("recheck"))

  return {
    ids: () => [...aside],
    decode: <Row extends { readonly id: string }, A>(rows: ReadonlyArray<Row>, read: (row: Row) => A) => {
      const { failures, values } = decodeEach(rows, read)
      return failures.length === 0 ? Effect.succeed(values) : Effect.as(setAside(failures), values)
    },
    recheck
  }
})

export class UnreadableIntents extends Context.Service<
  UnreadableIntents,
  {
    /** Intents that are set aside. A query that postpones nothing leaves them out, so that they do not fill its pages. */
    readonly ids: () => ReadonlyArray<string>
    /** Decodes each row by itself, and sets aside those for which `read` throws. */
    readonly decode: <Row extends { readonly id: string }, A>(
      rows: ReadonlyArray<Row>,
      read: (row: Row) => A
    ) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>
    /** Reads the rows again for which an alert stands. Frees those that can be read, and clears their alerts. */
    readonly recheck: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/adapters/sql/UnreadableIntents") {
  static readonly layer = Layer.effect(
    UnreadableIntents,
    Effect.tap(make, ({ recheck }) =>
      recheck.pipe(
        Effect.catchTag("StoreUnavailable", ({ message }) => Effect.logDebug(`unreadable intents: ${message}`)),
        Effect.repeat(RECHECK),
        Effect.forkScoped
      )
    )
  ).pipe(Layer.provide(OrchestratorAlerts.layer))
}
