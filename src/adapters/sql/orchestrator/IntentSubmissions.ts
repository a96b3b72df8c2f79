/** Stores owners' signatures: many submissions in one statement. Each quote accepts one. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option, Result } from "effect"
import { effectOf, type IntentEvent, legalFrom, type WaitingFor } from "../../../domain/Intent.ts"
import type { Intent } from "../../../ports/orchestrator/Intents.ts"
import type { Submission } from "../../../ports/orchestrator/Submission.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"
import { unreadable } from "./IntentReads.ts"
import { tell } from "./SweepEventSql.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

export interface SubmissionTo {
  readonly id: string
  readonly submission: Submission
  /** Network of the client. */
  readonly network?: string | undefined
  /** Cause for which it waits in the queue. */
  readonly waitingFor?: WaitingFor | undefined
}

/** The event of the statement below. */
export const SUBMITTED = { _tag: "Submitted" } as const satisfies IntentEvent

/** SQL constants rather than parameters, so that the planner sees them. */
const FROM = legalFrom([SUBMITTED])
  .map((status) => `'${status}'`)
  .join(", ")
const TO = `'${effectOf(SUBMITTED).status}'`

/** Tells for what the submitted ones wait. Their rows of the queue come from a trigger, so they are not there for the same statement. */
const noteWaits = (
  sql: PgClient.PgClient,
  waits: ReadonlyArray<{ readonly id: string; readonly waitingFor: WaitingFor }>,
  submitted: ReadonlyArray<Pick<IntentRow.IntentRow, "id">>
) => {
  const ids = new Set(submitted.map(({ id }) => id))
  return sql`
    UPDATE orchestrator.intent_queue q SET waiting_for = w."waitingFor"
    FROM jsonb_to_recordset(${sql.json(waits.filter(({ id }) => ids.has(id)))}) AS w (id text, "waitingFor" text)
    WHERE q.intent_id = w.id`
}

/** The signatures of a leg are stored with its sweep. */
const signaturesIn = ({ authorization, batch, signature }: Submission) => {
  if (batch !== undefined) return { signature: "0x", sweepId: batch.sweepId, leg: batch.leg }
  return authorization === undefined
    ? { signature }
    : { ...authorization, nonce: String(authorization.nonce), signature }
}

const givenIn = ({ id, network, submission }: SubmissionTo) => ({
  id: text(id),
  ...signaturesIn(submission),
  ...(network === undefined ? {} : { network: text(network) })
})

/**
 * Moves those intents to `submitted` that can be, with their signatures, and returns their rows. Each intent may be given once. Rows
 * are locked in the order of their ids, as when intents move.
 */
export const record = Effect.fnUntraced(function* (sql: PgClient.PgClient, submissions: ReadonlyArray<SubmissionTo>) {
  const millis = yield* Clock.currentTimeMillis
  const at = timestamp(millis)
  const given = submissions.map(givenIn)
  const passed = sql`submitted m CROSS JOIN
    (VALUES (${sql.literal(TO)}, NULL::text, NULL::text, 1)) AS e (status, failure_reason, delivery_tx_hash, position)`
  const store = sql<IntentRow.IntentRow>`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(given)}) AS g (
        id text, address text, "chainId" bigint, nonce numeric, r text, s text, "yParity" smallint, signature text,
        network text, "sweepId" text, leg smallint
      )
    ), locked AS (
      SELECT id FROM orchestrator.intent_states
      WHERE id = ANY(${IntentTables.ids(
        sql,
        given.map(({ id }) => id)
      )}) AND status IN (${sql.literal(FROM)})
      ORDER BY id FOR UPDATE
    ), submitted AS (
      UPDATE orchestrator.intent_states i SET status = ${sql.literal(TO)}, submitted_at = ${at}, updated_at = ${at}
      FROM locked WHERE i.id = locked.id AND i.status IN (${sql.literal(FROM)})
      RETURNING i.*
    ), signed AS (
      INSERT INTO orchestrator.intent_signatures (
        number, authorization_chain_id, authorization_nonce, y_parity, delegate, r, s, signature, network, sweep_id, leg
      )
      SELECT m.number, g."chainId", g.nonce, g."yParity", decode(substr(g.address, 3), 'hex'),
        decode(substr(g.r, 3), 'hex'), decode(substr(g.s, 3), 'hex'), decode(substr(g.signature, 3), 'hex'),
        g.network, g."sweepId", g.leg
      FROM submitted m JOIN given g USING (id)
    ), event AS (
      INSERT INTO orchestrator.intent_history (number, status, at) SELECT number, status, updated_at FROM submitted
    ), told AS (${yield* tell(sql, passed, millis)})
    SELECT ${IntentTables.offered(sql)} FROM submitted s ${sql.literal(IntentTables.terms("s"))}`
  const waits = submissions.flatMap(({ id, waitingFor }) =>
    waitingFor === undefined ? [] : [{ id: text(id), waitingFor }]
  )
  return yield* waits.length === 0
    ? store
    : sql.withTransaction(Effect.tap(store, (submitted) => noteWaits(sql, waits, submitted)))
})

/** Wakes the workers on the chains of these rows. */
export type Wake = (rows: ReadonlyArray<Pick<IntentRow.IntentRow, "source_chain_id">>) => Effect.Effect<void>

/**
 * Submitted intents in the order of the submissions; none if the intent had moved on, or if an earlier submission of
 * the call has the same id; a failure for one that was submitted and cannot be read.
 */
export const submitAll = (sql: PgClient.PgClient, { decode }: UnreadableIntents["Service"], wake: Wake) =>
  Effect.fnUntraced(function* (submissions: ReadonlyArray<SubmissionTo>) {
    const firsts = new Map(submissions.toReversed().map((each) => [each.id, each]))
    const rows = yield* record(sql, [...firsts.values()])
    yield* wake(rows)
    const stored = new Set(rows.map(({ id }) => id))
    const givenTo = new Map(
      Array.from(firsts.values(), ({ id, network, submission }) => [
        text(id),
        { submission, ...(network === undefined ? {} : { network }) }
      ])
    )
    const read = (row: IntentRow.IntentRow): Intent => ({ ...IntentRow.toIntent(row), ...givenTo.get(row.id) })
    const taken = new Map((yield* decode(rows, read)).map((intent) => [intent.id, intent]))
    return submissions.map((each): Result.Result<Option.Option<Intent>, Error> => {
      if (firsts.get(each.id) !== each) return Result.succeed(Option.none())
      const intent = taken.get(text(each.id))
      return intent === undefined && stored.has(text(each.id))
        ? Result.fail(unreadable(each.id))
        : Result.succeed(Option.fromUndefinedOr(intent))
    })
  }, guarded("submit"))
