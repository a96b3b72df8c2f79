/** Intents with the reasons why they wait, by one query over the queue, its transactions and their versions. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Address from "../../../domain/Address.ts"
import type { Hash } from "../../../domain/Hex.ts"
import type { FailureReason, IntentStatus, WaitingFor } from "../../../domain/Intent.ts"
import { type Carrier, type HeldIntent, HeldIntents } from "../../../ports/orchestrator/HeldIntents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"
import { UnreadableIntents } from "./UnreadableIntents.ts"

interface Row {
  readonly id: string
  readonly status: IntentStatus
  readonly owner: string
  readonly source_chain_id: bigint
  readonly dest_chain_id: string
  readonly builder_id: string | null
  readonly provider: string | null
  readonly estimated_seconds: string | null
  readonly submitted_at: Date | null
  readonly updated_at: Date
  readonly deadline: string
  readonly tx_hash: Hash | null
  readonly leased_until: Date | null
  readonly rests_until: Date | null
  readonly waiting_for: WaitingFor | null
  readonly given_up_reason: FailureReason | null
  readonly given_up_detail: string | null
  readonly owners_other: string | null
  readonly total: number
  readonly lane: string | null
  readonly nonce: bigint | null
  readonly kind: Carrier["kind"] | null
  readonly block_number: bigint | null
  readonly hash: Hash | null
  readonly signed_at: Date | null
  readonly broadcast_at: Date | null
  readonly max_fee_per_gas: string | null
  readonly versions: number | null
  readonly behind: number | null
}

/** A transaction has at least one version, so either all of these columns are set or none. */
const toCarrier = (row: Row): { readonly carrier?: Carrier } =>
  row.lane === null ||
  row.nonce === null ||
  row.kind === null ||
  row.hash === null ||
  row.signed_at === null ||
  row.max_fee_per_gas === null
    ? {}
    : {
        carrier: {
          lane: Address.stored(row.lane),
          nonce: row.nonce,
          kind: row.kind,
          hash: row.hash,
          signedAtMs: row.signed_at.getTime(),
          ...(row.broadcast_at === null ? {} : { broadcastAtMs: row.broadcast_at.getTime() }),
          maxFeePerGas: BigInt(row.max_fee_per_gas),
          versions: row.versions ?? 1,
          ...(row.block_number === null ? {} : { blockNumber: row.block_number }),
          behind: row.behind ?? 0
        }
      }

/** The number in a document's field. */
const numberIn = (field: string | null, name: string): number => {
  const value = Number(field ?? Number.NaN)
  if (Number.isNaN(value)) throw new Error(`${name} is not a number`)
  return value
}

/** Throws if the documents do not have the form in which they were stored. */
const toHeld = (row: Row): HeldIntent => ({
  id: row.id,
  status: row.status,
  owner: Address.stored(row.owner),
  sourceChainId: Number(row.source_chain_id),
  destChainId: Number(row.dest_chain_id),
  ...(row.builder_id === null ? {} : { builderId: row.builder_id }),
  provider: row.provider ?? "unknown",
  estimatedSeconds: numberIn(row.estimated_seconds, "quote.estimatedSeconds"),
  ...(row.submitted_at === null ? {} : { submittedAtMs: row.submitted_at.getTime() }),
  updatedAtMs: row.updated_at.getTime(),
  deadline: BigInt(row.deadline),
  ...(row.tx_hash === null ? {} : { txHash: row.tx_hash }),
  ...toCarrier(row),
  ...(row.leased_until === null ? {} : { leasedUntilMs: row.leased_until.getTime() }),
  ...(row.rests_until === null ? {} : { restsUntilMs: row.rests_until.getTime() }),
  ...(row.waiting_for === null ? {} : { waitingFor: row.waiting_for }),
  ...(row.given_up_reason === null
    ? {}
    : { givenUp: { reason: row.given_up_reason, detail: row.given_up_detail ?? "" } }),
  ...(row.owners_other === null ? {} : { ownersOther: row.owners_other })
})

/**
 * Up to `limit` intents `s` that match `which`, at the time `at`. `from` names the tables with the states as `s` and their rows in
 * the queue as `q`. The rules for the owner's turn are those of `Intents.claim`.
 */
const read = (sql: PgClient.PgClient, from: Fragment, which: Fragment, limit: number, at: Date) => sql<Row>`
  WITH picked AS (
    SELECT s.*, t.quote, q.intent_id IS NOT NULL AS queued, q.account, q.lease_until, q.not_before, q.waiting_for,
      count(*) OVER ()::int AS total
    FROM ${from}
    WHERE ${which} ORDER BY s.submitted_at, s.id LIMIT ${limit}
  )
  SELECT i.id, i.status, i.owner, i.source_chain_id, i.dest_chain_id, i.builder_id,
    i.quote ->> 'provider' AS provider, i.quote ->> 'estimatedSeconds' AS estimated_seconds,
    i.submitted_at, i.updated_at, i.deadline, '0x' || encode(i.tx_hash, 'hex') AS tx_hash, i.total,
    CASE WHEN i.lease_until > ${at} THEN i.lease_until END AS leased_until,
    CASE WHEN i.not_before > ${at} THEN i.not_before END AS rests_until, i.waiting_for,
    given_up.reason AS given_up_reason, given_up.detail AS given_up_detail, other.id AS owners_other, t.lane, t.nonce, t.kind,
    t.included_block_number AS block_number,
    newest.hash, newest.signed_at, newest.broadcast_at, newest.max_fee_per_gas, newest.versions, ahead.behind
  FROM picked i
  LEFT JOIN orchestrator.given_up_intents given_up ON i.not_before > ${at} AND given_up.intent_id = i.id
  LEFT JOIN orchestrator.relay_transactions t
    ON i.status = 'submitted' AND t.id = i.relay_transaction_id AND t.status <> 'final'
  LEFT JOIN LATERAL (
    SELECT a.hash, a.signed_at, a.broadcast_at, a.max_fee_per_gas::text AS max_fee_per_gas,
      count(*) OVER ()::int AS versions
    FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id ORDER BY a.position DESC LIMIT 1
  ) newest ON true
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS behind FROM orchestrator.relay_transactions b
    WHERE b.chain_id = t.chain_id AND b.lane = t.lane AND b.nonce < t.nonce AND b.status = 'pending'
  ) ahead ON true
  LEFT JOIN LATERAL (
    SELECT l.intent_id AS id FROM orchestrator.relay_transaction_intents l
    WHERE i.queued AND l.active AND l.account = i.account AND l.intent_id <> i.id
    UNION ALL
    SELECT o.intent_id FROM orchestrator.intent_queue o
    WHERE i.queued AND o.account = i.account AND o.intent_id <> i.id
      AND (
        o.lease_until > ${at}
        OR (o.not_before IS NULL OR o.not_before <= ${at}) AND (o.submitted_at, o.intent_id) < (i.submitted_at, i.id)
      )
    LIMIT 1
  ) other ON true
  ORDER BY i.submitted_at, i.id`

const documents = (sql: PgClient.PgClient) => sql`
  ${sql.literal(IntentTables.terms("s"))}
  LEFT JOIN LATERAL (SELECT * FROM orchestrator.intent_queue q WHERE q.intent_id = s.id OFFSET 0) q ON true`

/** Intents that are submitted or settled. Transactions carry the submitted ones that are not in the queue. */
const unfinished = (sql: PgClient.PgClient) => sql`(
    SELECT intent_id FROM orchestrator.intent_queue
    UNION SELECT intent_id FROM orchestrator.intent_deliveries WHERE NOT delivered
    UNION SELECT intent_id FROM orchestrator.relay_transaction_intents WHERE active
  ) u
  ${IntentTables.states(sql, "u.intent_id")}
  ${documents(sql)}`

/** Estimated seconds of a sweep, 0 in a quote that cannot be read: an error of one row would fail the whole query. */
const estimatedSeconds = (
  sql: PgClient.PgClient
) => sql`CASE WHEN jsonb_typeof(t.quote -> 'estimatedSeconds') = 'number'
  THEN least((t.quote ->> 'estimatedSeconds')::numeric, 1000000000)::double precision ELSE 0 END`

const now = Effect.map(Clock.currentTimeMillis, timestamp)

const stuck = (sql: PgClient.PgClient, { decode }: UnreadableIntents["Service"]): HeldIntents["Service"]["stuck"] =>
  Effect.fn("HeldIntents.stuck")(function* ({ beforeMs, limit }) {
    const [at, before] = [yield* now, timestamp(beforeMs)]
    const rows = yield* read(
      sql,
      unfinished(sql),
      sql`(
        s.status = 'submitted' AND (s.submitted_at <= ${before} OR q.not_before > ${at})
        OR s.status = 'settled_source'
          AND s.updated_at + make_interval(secs => ${estimatedSeconds(sql)}) <= ${before}
      )`,
      limit,
      at
    )
    return { intents: yield* decode(rows, toHeld), total: rows[0]?.total ?? 0 }
  }, guarded("stuck"))

const find = (sql: PgClient.PgClient): HeldIntents["Service"]["find"] =>
  Effect.fn("HeldIntents.find")(function* (id) {
    const [row] = yield* read(
      sql,
      sql`orchestrator.intent_states s ${documents(sql)}`,
      sql`s.id = ${text(id)}`,
      1,
      yield* now
    )
    return Option.map(Option.fromUndefinedOr(row), toHeld)
  }, guarded("find"))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return HeldIntents.of({ stuck: stuck(sql, yield* UnreadableIntents), find: find(sql) })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(HeldIntents, make).pipe(Layer.provide(UnreadableIntents.layer))
