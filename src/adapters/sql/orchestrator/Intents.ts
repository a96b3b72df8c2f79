/** Intents in Postgres: the table is the queue, the lock and the truth. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option, Result } from "effect"
import { BURNING, IllegalTransition, type IntentEvent, IntentStatus, transitions } from "../../../domain/Intent.ts"
import {
  IntentExists,
  Intents,
  type Progress,
  type Step,
  type Submission
} from "../../../ports/orchestrator/Intents.ts"
import { idempotencyKey } from "../../../ports/orchestrator/Outbox.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Gathered from "../shared/Gathered.ts"
import * as IntentQueue from "./IntentQueue.ts"
import * as IntentRow from "./IntentRow.ts"
import * as OutboxMessageJson from "./OutboxMessageJson.ts"
import { tell } from "./SweepEventSql.ts"
import * as Wakes from "./Wakes.ts"

const CHANNEL = "token_sweep_intents"

/** Of the statements that intake makes: two, so that one gathers while the other is committed. */
const GATHERED = { statements: 2, questions: 100 }

interface Submitted {
  readonly id: string
  readonly submission: Submission
}

/** The row of `intent_events` and what it changes in `intents`. Where an event leads does not depend on where it found it. */
const eventRow = (event: IntentEvent) => {
  switch (event._tag) {
    case "Submitted":
      return { event: event._tag, status: "submitted" }
    case "SettledAtSource":
      return { event: event._tag, status: "settled_source", tx_hash: event.txHash }
    case "Delivered":
      return { event: event._tag, status: "delivered", tx_hash: event.txHash }
    case "Failed":
      return { event: event._tag, status: "failed", reason: event.reason }
  }
}

/** What a step makes of an intent, and the statuses from which all of its events are legal. */
const stepRow = ({ detail, events, id }: Step) => {
  const failure = events.find((event) => event._tag === "Failed")
  return {
    id,
    from: IntentStatus.literals.filter((from) => Result.isSuccess(transitions(from, events))),
    status: events.map(eventRow).at(-1)?.status,
    tx_hash: events.findLast((event) => event._tag === "SettledAtSource")?.txHash,
    delivery_tx_hash: events.findLast((event) => event._tag === "Delivered")?.txHash,
    failure_reason: failure?.reason,
    failure_detail: failure === undefined || detail === undefined ? undefined : text(detail)
  }
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { wake, wakes } = yield* Wakes.make(CHANNEL)
  const queue = IntentQueue.make(sql)

  const now = Effect.map(Clock.currentTimeMillis, timestamp)

  const statusOf = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* sql<{ status: IntentStatus }>`SELECT status FROM orchestrator.intents WHERE id = ${text(id)}`
    return row === undefined ? yield* Effect.die(new Error(`intent ${id} does not exist`)) : row.status
  })

  const nextOrderNonce = Effect.fnUntraced(function* (chainId: number, owner: string, atLeast: bigint) {
    const [row] = yield* sql<{ nonce: string }>`
      INSERT INTO orchestrator.owner_nonces AS o (chain_id, owner, next_nonce)
      VALUES (${chainId}, ${owner}, ${String(atLeast)}::numeric + 1)
      ON CONFLICT (chain_id, owner)
      DO UPDATE SET next_nonce = greatest(o.next_nonce, ${String(atLeast)}::numeric) + 1
      RETURNING next_nonce - 1 AS nonce`
    return BigInt(row?.nonce ?? atLeast)
  }, guarded("nextOrderNonce"))

  const create: Intents["Service"]["create"] = Effect.fnUntraced(function* (intent) {
    const at = yield* now
    const inserted = yield* sql`
      INSERT INTO orchestrator.intents (
        id, quote, "order", order_digest, quoted_at_block, gas, user_id, builder_id, payout_mode, created_at, updated_at
      ) VALUES (
        ${intent.quote.id}, ${sql.json(IntentRow.encodeQuote(intent.quote))},
        ${sql.json(IntentRow.encodeOrder(intent.order))}, ${intent.orderDigest}, ${intent.quotedAtBlock}, ${intent.gas},
        ${text(intent.userId)}, ${intent.attributed === undefined ? null : text(intent.attributed.builderId)},
        ${intent.attributed?.payoutMode ?? null}, ${at}, ${at}
      ) ON CONFLICT DO NOTHING RETURNING id`
    if (inserted.length === 0) return yield* new IntentExists({ id: intent.quote.id })
  }, guarded("create"))

  const findAll: Intents["Service"]["findAll"] = Effect.fnUntraced(function* (ids) {
    if (ids.length === 0) return []
    return IntentRow.decode(
      yield* sql<IntentRow.IntentRow>`SELECT * FROM orchestrator.intents WHERE id = ANY(${ids.map(text)})`
    )
  }, guarded("findAll"))

  const find = yield* Gathered.make({
    ...GATHERED,
    run: (ids: ReadonlyArray<string>) =>
      Effect.map(findAll(ids), (found) => {
        const byId = new Map(found.map((intent) => [intent.id, intent]))
        return ids.map((id) => Option.fromUndefinedOr(byId.get(text(id))))
      })
  })

  const states = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const rows = yield* sql<IntentRow.StateRow>`
      SELECT id, status, (quote ->> 'crossChain')::boolean AS cross_chain, tx_hash, delivery_tx_hash, failure_reason
      FROM orchestrator.intents WHERE id = ANY(${ids.map(text)})`
    return IntentRow.decodeStates(rows)
  }, guarded("states"))

  /** Of submissions to one quote the first is taken. Rows are locked in the order of their ids, as by {@link applyAll}. */
  const submitAll = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submitted>) {
    const millis = yield* Clock.currentTimeMillis
    const at = timestamp(millis)
    const firsts = new Map(submissions.toReversed().map((each) => [each.id, each]))
    const given = Array.from(firsts.values(), ({ id, submission }) => ({
      id: text(id),
      submission: IntentRow.encodeSubmission(submission)
    }))
    const passed = sql`submitted m, (VALUES ('submitted', NULL::text, 1)) AS e (status, reason, position)`
    const rows = yield* sql<IntentRow.IntentRow>`
      WITH given AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(given)}) AS g (id text, submission jsonb)
      ), locked AS (
        SELECT i.id FROM orchestrator.intents i JOIN given USING (id)
        WHERE i.status = 'quoted' ORDER BY i.id FOR UPDATE OF i
      ), submitted AS (
        UPDATE orchestrator.intents i
        SET status = 'submitted', submission = given.submission, submitted_at = ${at}, updated_at = ${at}
        FROM locked JOIN given USING (id)
        WHERE i.id = locked.id AND i.status = 'quoted'
        RETURNING i.*
      ), event AS (
        INSERT INTO orchestrator.intent_events (intent_id, event, status, at)
        SELECT id, 'Submitted', status, updated_at FROM submitted
      ), told AS (${tell(sql, passed, millis)}) SELECT * FROM submitted`
    if (rows.length > 0) yield* wake
    const taken = new Map(IntentRow.decode(rows).map((intent) => [intent.id, intent]))
    return submissions.map((each) =>
      firsts.get(each.id) === each ? Option.fromUndefinedOr(taken.get(text(each.id))) : Option.none()
    )
  }, guarded("submit"))

  const submitTogether = yield* Gathered.make({ ...GATHERED, run: submitAll })

  const submit: Intents["Service"]["submit"] = Effect.fnUntraced(function* (id, submission) {
    const submitted = yield* submitTogether({ id, submission })
    if (Option.isSome(submitted)) return submitted.value
    return yield* new IllegalTransition({ from: yield* statusOf(id), event: "Submitted" })
  }, guarded("submit"))

  const apply = (
    id: string,
    events: ReadonlyArray<Progress>,
    consequences: Parameters<Intents["Service"]["apply"]>[2]
  ): ReturnType<Intents["Service"]["apply"]> =>
    Effect.gen(function* () {
      const millis = yield* Clock.currentTimeMillis
      const at = timestamp(millis)
      const rows = events.map(eventRow)
      const passed = sql`moved m, ROWS FROM (
        jsonb_to_recordset(${sql.json(rows)}) AS (status text, reason text)
      ) WITH ORDINALITY AS e (status, reason, position)`
      const failure = events.find((event) => event._tag === "Failed")
      const detail = consequences?.detail === undefined ? null : text(consequences.detail)
      const messages = (consequences?.outbox ?? []).map((message) => ({
        key: idempotencyKey(message),
        message: OutboxMessageJson.encode(message)
      }))
      // The row lock and the check of the transition are the update itself: it finds the intent only in a status from which
      // all events are legal. A message's key comes from its settlement, so one that is there already is the same message.
      const moved = yield* sql<IntentRow.IntentRow>`
        WITH moved AS (
          UPDATE orchestrator.intents
          SET status = coalesce(${rows.at(-1)?.status ?? null}, status),
            tx_hash = coalesce(${events.findLast((event) => event._tag === "SettledAtSource")?.txHash ?? null}, tx_hash),
            delivery_tx_hash =
              coalesce(${events.findLast((event) => event._tag === "Delivered")?.txHash ?? null}, delivery_tx_hash),
            failure_reason = coalesce(${failure?.reason ?? null}, failure_reason),
            failure_detail = coalesce(${failure === undefined ? null : detail}, failure_detail),
            lease_worker = NULL, lease_until = NULL, updated_at = ${at}
          WHERE id = ${text(id)}
            AND status = ANY(${IntentStatus.literals.filter((from) => Result.isSuccess(transitions(from, events)))})
          RETURNING *
        ), event AS (
          INSERT INTO orchestrator.intent_events (intent_id, event, status, tx_hash, reason, detail, at)
          SELECT moved.id, e.event, e.status, e.tx_hash, e.reason, ${detail}, moved.updated_at
          FROM moved, jsonb_to_recordset(${sql.json(rows)}) AS e (event text, status text, tx_hash text, reason text)
        ), message AS (
          INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at)
          SELECT m.key, moved.id, m.message, moved.updated_at, moved.updated_at
          FROM moved, jsonb_to_recordset(${sql.json(messages)}) AS m (key text, message jsonb)
          ON CONFLICT (idempotency_key) DO NOTHING
        ), told AS (${tell(sql, passed, millis)}) SELECT * FROM moved`
      const [intent] = IntentRow.decode(moved)
      if (intent !== undefined) return intent
      yield* Effect.fromResult(transitions(yield* statusOf(id), events))
      // It moved on to a status where the events are legal after the update had missed it.
      return yield* apply(id, events, consequences)
    }).pipe(guarded("apply"))

  const applyAll: Intents["Service"]["applyAll"] = Effect.fnUntraced(function* (steps) {
    if (steps.length === 0) return new Set<string>()
    const millis = yield* Clock.currentTimeMillis
    const at = timestamp(millis)
    const rows = steps.map(stepRow)
    const events = steps.flatMap(({ detail, events, id }) =>
      events.map((event) => ({ id, ...eventRow(event), ...(detail === undefined ? {} : { detail: text(detail) }) }))
    )
    const messages = steps.flatMap(({ id, outbox = [] }) =>
      outbox.map((message) => ({ id, key: idempotencyKey(message), message: OutboxMessageJson.encode(message) }))
    )
    const passed = sql`moved m JOIN ROWS FROM (
      jsonb_to_recordset(${sql.json(events)}) AS (id text, status text, reason text)
    ) WITH ORDINALITY AS e (id, status, reason, position) USING (id)`
    // Rows are locked in the order of their ids, so that two passes over the same intents cannot wait for each other.
    const moved = yield* sql<{ id: string }>`
      WITH step AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(rows)}) AS s (
          id text, "from" text[], status text, tx_hash text, delivery_tx_hash text, failure_reason text,
          failure_detail text
        )
      ), locked AS (
        SELECT i.id FROM orchestrator.intents i JOIN step USING (id)
        WHERE i.status = ANY(step."from") ORDER BY i.id FOR UPDATE OF i
      ), moved AS (
        UPDATE orchestrator.intents i
        SET status = step.status, tx_hash = coalesce(step.tx_hash, i.tx_hash),
          delivery_tx_hash = coalesce(step.delivery_tx_hash, i.delivery_tx_hash),
          failure_reason = coalesce(step.failure_reason, i.failure_reason),
          failure_detail = coalesce(step.failure_detail, i.failure_detail),
          lease_worker = NULL, lease_until = NULL, updated_at = ${at}
        FROM locked JOIN step USING (id)
        WHERE i.id = locked.id AND i.status = ANY(step."from")
        RETURNING i.id, i.builder_id, i.source_chain_id, i.tx_hash, i.delivery_tx_hash,
          CASE WHEN i.builder_id IS NOT NULL THEN i.quote END AS quote,
          CASE WHEN i.builder_id IS NOT NULL THEN i."order" END AS "order"
      ), event AS (
        INSERT INTO orchestrator.intent_events (intent_id, event, status, tx_hash, reason, detail, at)
        SELECT moved.id, e.event, e.status, e.tx_hash, e.reason, e.detail, ${at}
        FROM ROWS FROM (
          jsonb_to_recordset(${sql.json(events)})
            AS (id text, event text, status text, tx_hash text, reason text, detail text)
        ) WITH ORDINALITY AS e (id, event, status, tx_hash, reason, detail, position)
        JOIN moved USING (id) ORDER BY e.position
      ), message AS (
        INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at)
        SELECT m.key, moved.id, m.message, ${at}, ${at}
        FROM ROWS FROM (
          jsonb_to_recordset(${sql.json(messages)}) AS (id text, key text, message jsonb)
        ) WITH ORDINALITY AS m (id, key, message, position)
        JOIN moved USING (id) ORDER BY m.position
        ON CONFLICT (idempotency_key) DO NOTHING
      ), told AS (${tell(sql, passed, millis)}) SELECT id FROM moved`
    return new Set(moved.map(({ id }) => id))
  }, guarded("applyAll"))

  const burned: Intents["Service"]["burned"] = Effect.fnUntraced(function* (query) {
    const since = timestamp(query.sinceMs)
    const accounts = query.owners.map((owner) => `${query.chainId}:${owner}`)
    const rows = yield* sql<{ owner: string | null; builder: string | null; count: number }>`
      SELECT owner, NULL AS builder, count(*)::int AS count FROM orchestrator.intents
      WHERE account = ANY(${accounts}) AND status = 'failed' AND tx_hash IS NOT NULL AND updated_at > ${since}
        AND failure_reason = ANY(${BURNING})
      GROUP BY owner
      UNION ALL
      SELECT NULL, builder_id, count(*)::int FROM orchestrator.intents
      WHERE builder_id = ANY(${query.builders.map(text)}) AND status = 'failed' AND tx_hash IS NOT NULL
        AND updated_at > ${since} AND failure_reason = ANY(${BURNING})
      GROUP BY builder_id`
    return {
      owners: new Map(rows.flatMap(({ count, owner }) => (owner === null ? [] : [[owner, count] as const]))),
      builders: new Map(rows.flatMap(({ builder, count }) => (builder === null ? [] : [[builder, count] as const])))
    }
  }, guarded("burned"))

  const inStatus: Intents["Service"]["inStatus"] = Effect.fnUntraced(function* (chainId, statuses, limit) {
    const rows = yield* sql<IntentRow.IntentRow>`
      SELECT * FROM orchestrator.intents
      WHERE source_chain_id = ${chainId} AND status = ANY(${statuses})
      ORDER BY created_at, id
      LIMIT ${limit}`
    return IntentRow.decode(rows)
  }, guarded("inStatus"))

  const counts = sql<{ status: IntentStatus; count: bigint }>`
    SELECT status, count(*) AS count FROM orchestrator.intents GROUP BY status`.pipe(
    Effect.map((rows) => {
      const count: Record<IntentStatus, number> = {
        quoted: 0,
        submitted: 0,
        settled_source: 0,
        delivered: 0,
        failed: 0
      }
      for (const row of rows) count[row.status] = Number(row.count)
      return count
    }),
    guarded("counts"),
    Effect.withSpan("Intents.counts")
  )

  return Intents.of({
    nextOrderNonce,
    create,
    find,
    states,
    submit,
    ...queue,
    apply,
    applyAll,
    findAll,
    burned,
    inStatus,
    counts,
    wakes
  })
})

/** Needs the migrated schema of `Migrated.layer`. Listens for other processes as long as it lives. */
export const layer = Layer.effect(Intents, make)
