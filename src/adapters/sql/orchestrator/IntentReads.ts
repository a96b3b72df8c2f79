/** Reads of intents that change nothing. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Result } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { type IntentStatus, statusCounts } from "../../../domain/Intent.ts"
import type { Intent, Intents } from "../../../ports/orchestrator/Intents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

type Service = Intents["Service"]

type Unreadable = UnreadableIntents["Service"]

const rowsOf = (sql: PgClient.PgClient, ids: ReadonlyArray<string>) =>
  sql<IntentRow.IntentRow>`
    SELECT ${IntentTables.columns(sql)} FROM orchestrator.intent_states s ${IntentTables.documents(sql)}
    WHERE s.id = ANY(${IntentTables.ids(sql, ids.map(text))})`

export const findAll = (sql: PgClient.PgClient, { decode }: Unreadable): Service["findAll"] =>
  Effect.fnUntraced(function* (ids) {
    return ids.length === 0 ? [] : yield* decode(yield* rowsOf(sql, ids), IntentRow.toIntent)
  }, guarded("findAll"))

/** An intent whose row is stored but cannot be read. */
export const unreadable = (id: string) => new Error(`the row of intent ${id} cannot be read`)

/** The intents in the order of the ids; none for an unknown id, and a failure for one whose row cannot be read. */
export const findEach = (sql: PgClient.PgClient, { decode }: Unreadable) =>
  Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const rows = yield* rowsOf(sql, ids)
    const stored = new Set(rows.map(({ id }) => id))
    const read = new Map((yield* decode(rows, IntentRow.toIntent)).map((intent) => [intent.id, intent]))
    return ids.map((each): Result.Result<Option.Option<Intent>, Error> => {
      const id = text(each)
      const intent = read.get(id)
      return intent === undefined && stored.has(id)
        ? Result.fail(unreadable(id))
        : Result.succeed(Option.fromUndefinedOr(intent))
    })
  }, guarded("find"))

export const states = (sql: PgClient.PgClient): Service["states"] =>
  Effect.fnUntraced(function* (ids) {
    const rows = yield* sql<IntentRow.StateRow>`
      SELECT s.id, s.status, s.dest_chain_id <> s.source_chain_id AS cross_chain, '0x' || encode(s.tx_hash, 'hex') AS tx_hash,
        '0x' || encode(s.delivery_tx_hash, 'hex') AS delivery_tx_hash, s.amount_out, s.failure_reason, q.waiting_for,
        r.token AS refund_token, r.amount::text AS refund_amount, '0x' || encode(r.tx_hash, 'hex') AS refund_tx_hash,
        a.token AS instead_token, a.amount::text AS instead_amount
      FROM orchestrator.intent_states s
      LEFT JOIN LATERAL (SELECT * FROM orchestrator.intent_queue q WHERE q.intent_id = s.id OFFSET 0) q ON true
      LEFT JOIN LATERAL (
        SELECT * FROM orchestrator.intent_refunds r
        WHERE s.failure_reason = 'bridge_refunded' AND r.intent_id = s.id AND r.tx_hash IS NOT NULL OFFSET 0
      ) r ON true
      LEFT JOIN LATERAL (
        SELECT * FROM orchestrator.intent_arrivals a
        WHERE s.status = 'delivered' AND s.amount_out IS NULL AND a.intent_id = s.id OFFSET 0
      ) a ON true
      WHERE s.id = ANY(${IntentTables.ids(sql, ids.map(text))})`
    return IntentRow.decodeStates(rows)
  }, guarded("states"))

export const quotes = (sql: PgClient.PgClient, { decode }: Unreadable): Service["quotes"] =>
  Effect.fnUntraced(function* (ids) {
    const rows = yield* sql<IntentRow.QuoteRow>`
      SELECT s.id, s.source_chain_id, s.dest_chain_id, t.quote
      FROM orchestrator.intent_states s ${sql.literal(IntentTables.terms("s"))}
      WHERE s.id = ANY(${IntentTables.ids(sql, ids.map(text))})`
    return new Map((yield* decode(rows, IntentRow.toQuote)).map((quote) => [quote.id, quote]))
  }, guarded("quotes"))

export const burned = (sql: PgClient.PgClient): Service["burned"] =>
  Effect.fnUntraced(function* (query) {
    const since = timestamp(query.sinceMs)
    const accounts = query.owners.map((owner) => `${query.chainId}:${owner}`)
    const rows = yield* sql<{ owner: string | null; builder: string | null; count: number }>`
      SELECT burned.owner, NULL AS builder, count(*)::int AS count FROM (
        SELECT owner FROM orchestrator.intent_states
        WHERE owner = ANY(${query.owners}) AND burned_at > ${since} AND source_chain_id = ${query.chainId}
        UNION ALL
        SELECT i.owner FROM orchestrator.given_up_intents g JOIN orchestrator.intent_states i ON i.id = g.intent_id
        WHERE g.account = ANY(${accounts}) AND g.burned AND g.at > ${since} AND i.status = 'submitted'
      ) burned GROUP BY burned.owner
      UNION ALL
      SELECT NULL, burned.builder_id, count(*)::int FROM (
        SELECT builder_id FROM orchestrator.intent_states
        WHERE builder_id = ANY(${query.builders.map(text)}) AND burned_at > ${since}
        UNION ALL
        SELECT g.builder_id FROM orchestrator.given_up_intents g JOIN orchestrator.intent_states i ON i.id = g.intent_id
        WHERE g.builder_id = ANY(${query.builders.map(text)}) AND g.burned AND g.at > ${since} AND i.status = 'submitted'
      ) burned GROUP BY burned.builder_id`
    return {
      owners: new Map(rows.flatMap(({ count, owner }) => (owner === null ? [] : [[owner, count] as const]))),
      builders: new Map(rows.flatMap(({ builder, count }) => (builder === null ? [] : [[builder, count] as const])))
    }
  }, guarded("burned"))

/** For each question: true if a sweep of the owner from one of the chains has ever settled. Reads `settled_owners`, like {@link settledOf}. */
export const hasSettledEach = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (
    questions: ReadonlyArray<{ readonly owner: Address.Address; readonly chainIds: ReadonlyArray<number> }>
  ) {
    const owners = [...new Set(questions.map(({ owner }) => owner))]
    const chainIds = [...new Set(questions.flatMap((each) => each.chainIds))]
    const rows = yield* sql<{ owner: string; chain_id: string }>`
      SELECT owner, chain_id::text FROM orchestrator.settled_owners
      WHERE chain_id = ANY(${chainIds}::bigint[]) AND owner = ANY(${owners})`
    const settled = new Set(rows.map(({ chain_id, owner }) => `${chain_id}:${owner}`))
    return questions.map(({ chainIds: asked, owner }) => asked.some((chainId) => settled.has(`${chainId}:${owner}`)))
  }, guarded("hasSettled"))

/** Reads `settled_owners`, which triggers keep: an owner's rows of states are mostly quotes, and anybody can ask for more of them. */
export const settledOf = (sql: PgClient.PgClient): Service["settledOf"] =>
  Effect.fnUntraced(function* (chainId, owners) {
    if (owners.length === 0) return new Set<Address.Address>()
    const rows = yield* sql<{ owner: Address.Address }>`
      SELECT owner FROM orchestrator.settled_owners WHERE chain_id = ${chainId} AND owner = ANY(${owners})`
    return new Set(rows.map(({ owner }) => owner))
  }, guarded("settledOf"))

export const inStatus = (sql: PgClient.PgClient, { decode, ids }: Unreadable): Service["inStatus"] =>
  Effect.fnUntraced(function* (chainId, statuses, limit) {
    const rows = yield* sql<IntentRow.IntentRow>`
      SELECT ${IntentTables.columns(sql)} FROM orchestrator.intent_states s ${IntentTables.documents(sql)}
      WHERE s.source_chain_id = ${chainId} AND s.status = ANY(${statuses}) AND s.id <> ALL(${ids()})
      ORDER BY s.created_at, s.id
      LIMIT ${limit}`
    return yield* decode(rows, IntentRow.toIntent)
  }, guarded("inStatus"))

export const counts = (sql: PgClient.PgClient): Service["counts"] =>
  sql<{ status: IntentStatus; count: bigint }>`
    SELECT status, intents AS count FROM orchestrator.intent_count_sums`.pipe(
    Effect.map((rows) => statusCounts(rows.map(({ count, status }) => [status, Number(count)]))),
    guarded("counts"),
    Effect.withSpan("Intents.counts")
  )
