/** Stores owners' signatures: many submissions in one statement. Each quote accepts one. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option, Result } from "effect"
import { effectOf, type IntentEvent, legalFrom } from "../../../domain/Intent.ts"
import type { Intent, Submission } from "../../../ports/orchestrator/Intents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import { unreadable } from "./IntentReads.ts"
import { tell } from "./SweepEventSql.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

export interface SubmissionTo {
  readonly id: string
  readonly submission: Submission
}

/** The event of the statement below. */
export const SUBMITTED = { _tag: "Submitted" } as const satisfies IntentEvent

/** SQL constants rather than parameters, so that the planner sees them. */
const FROM = legalFrom([SUBMITTED])
  .map((status) => `'${status}'`)
  .join(", ")
const TO = `'${effectOf(SUBMITTED).status}'`

/**
 * Submitted intents in the order of the submissions; none if the intent had moved on, or if an earlier submission of
 * the call has the same id; a failure for one that was submitted and cannot be read. Runs `wake` if an intent was submitted. Rows are locked in the order of their ids, as when
 * intents move.
 */
export const submitAll = (
  sql: PgClient.PgClient,
  { decode }: UnreadableIntents["Service"],
  wake: Effect.Effect<unknown>
) =>
  Effect.fnUntraced(function* (submissions: ReadonlyArray<SubmissionTo>) {
    const millis = yield* Clock.currentTimeMillis
    const at = timestamp(millis)
    const firsts = new Map(submissions.toReversed().map((each) => [each.id, each]))
    const given = Array.from(firsts.values(), ({ id, submission }) => ({
      id: text(id),
      submission: IntentRow.encodeSubmission(submission)
    }))
    const passed = sql`submitted m,
      (VALUES (${sql.literal(TO)}, NULL::text, NULL::text, 1)) AS e (status, failure_reason, delivery_tx_hash, position)`
    const rows = yield* sql<IntentRow.IntentRow>`
      WITH given AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(given)}) AS g (id text, submission jsonb)
      ), locked AS (
        SELECT i.id FROM orchestrator.intents i JOIN given USING (id)
        WHERE i.status IN (${sql.literal(FROM)}) ORDER BY i.id FOR UPDATE OF i
      ), submitted AS (
        UPDATE orchestrator.intents i
        SET status = ${sql.literal(TO)}, submission = given.submission, submitted_at = ${at}, updated_at = ${at}
        FROM locked JOIN given USING (id)
        WHERE i.id = locked.id AND i.status IN (${sql.literal(FROM)})
        RETURNING i.*
      ), event AS (
        INSERT INTO orchestrator.intent_events (intent_id, event, status, at)
        SELECT id, ${sql.literal(`'${SUBMITTED._tag}'`)}, status, updated_at FROM submitted
      ), told AS (${tell(sql, passed, millis)}) SELECT * FROM submitted`
    if (rows.length > 0) yield* wake
    const stored = new Set(rows.map(({ id }) => id))
    const taken = new Map((yield* decode(rows, IntentRow.toIntent)).map((intent) => [intent.id, intent]))
    return submissions.map((each): Result.Result<Option.Option<Intent>, Error> => {
      if (firsts.get(each.id) !== each) return Result.succeed(Option.none())
      const intent = taken.get(text(each.id))
      return intent === undefined && stored.has(text(each.id))
        ? Result.fail(unreadable(each.id))
        : Result.succeed(Option.fromUndefinedOr(intent))
    })
  }, guarded("submit"))
