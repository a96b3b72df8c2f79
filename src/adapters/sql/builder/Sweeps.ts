/** Events in `builder.sweep_events`, whose rows a trigger keeps from changing, and their sum in `builder.sweeps`. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Address from "../../../domain/Address.ts"
import { Hash } from "../../../domain/Hex.ts"
import { FailureReason } from "../../../domain/Intent.ts"
import { NO_SWEEPS, RANKS, type Sweep, type SweepDay, type Volume } from "../../../domain/Sweep.ts"
import type { SearchTerm } from "../../../domain/SearchTerm.ts"
import { SweepEvent, SweepStatus } from "../../../domain/SweepEvent.ts"
import { UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import { SweepConflict, Sweeps } from "../../../ports/builder/Sweeps.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as ListPages from "./ListPages.ts"
import * as Rows from "./Rows.ts"
import * as WholeDays from "./WholeDays.ts"

const encodeEvent = Schema.encodeSync(SweepEvent)

const SweepRow = Schema.Struct({
  intent_id: Schema.String,
  position: Rows.RowId,
  status: SweepStatus,
  failure_reason: Schema.NullOr(FailureReason),
  started_at: Rows.Millis,
  updated_at: Rows.Millis,
  owner: Address.Address,
  source_chain_id: Rows.Int8,
  dest_chain_id: Rows.Int8,
  cross_chain: Schema.Boolean,
  token_in: Address.Address,
  amount_in: Rows.Integer,
  token_out: Address.Address,
  min_amount_out: Rows.Integer,
  builder_fee: Rows.Integer,
  tx_hash: Schema.NullOr(Hash),
  delivery_tx_hash: Schema.NullOr(Hash)
})

const toSweep = (row: typeof SweepRow.Type): Sweep => ({
  intentId: row.intent_id,
  status: row.status,
  startedAtMs: row.started_at,
  updatedAtMs: row.updated_at,
  owner: row.owner,
  sourceChainId: row.source_chain_id,
  destChainId: row.dest_chain_id,
  crossChain: row.cross_chain,
  tokenIn: row.token_in,
  amountIn: row.amount_in,
  tokenOut: row.token_out,
  minAmountOut: row.min_amount_out,
  builderFee: row.builder_fee,
  ...Rows.present({ failureReason: row.failure_reason, txHash: row.tx_hash, deliveryTxHash: row.delivery_tx_hash })
})

const decodeSweeps = Rows.decode(SweepRow)
const decodeEvents = Rows.decode(Schema.Struct({ event: SweepEvent }))
/** A sum by day, by status, or by status, chain and token. The columns that it is not grouped by are null. */
const decodeTotals = Rows.decode(
  Schema.Struct({
    day: Schema.NullOr(Schema.String),
    status: Schema.NullOr(SweepStatus),
    chain_id: Schema.NullOr(Rows.Int8),
    token: Schema.NullOr(Address.Address),
    amount: Rows.Integer,
    sweeps: Rows.Int8,
    delivered: Rows.Int8,
    failed: Rows.Int8
  })
)

const rankOf = (sql: PgClient.PgClient, status: Fragment) => sql`(${sql.json(RANKS)}::jsonb ->> ${status})::integer`

/** Updates the sweep by the event. An intent stays with the builder that it was first reported for. */
const sumUp = Effect.fnUntraced(function* (sql: PgClient.PgClient, event: SweepEvent) {
  const at = timestamp(event.occurredAtMs)
  const rows = yield* sql`INSERT INTO builder.sweeps AS s (intent_id, builder_id, status, failure_reason, started_at,
      updated_at, owner, source_chain_id, dest_chain_id, cross_chain, token_in, amount_in, token_out, min_amount_out,
      builder_fee, tx_hash, delivery_tx_hash)
    VALUES (${text(event.intentId)}, ${event.builderId}, ${event.status}, ${event.failureReason ?? null}, ${at},
      ${at}, ${event.owner}, ${event.sourceChainId}, ${event.destChainId}, ${event.crossChain}, ${event.tokenIn},
      ${event.amountIn.toString()}::numeric, ${event.tokenOut}, ${event.minAmountOut.toString()}::numeric,
      ${event.builderFee.toString()}::numeric, ${event.txHash ?? null}, ${event.deliveryTxHash ?? null})
    ON CONFLICT (intent_id) DO UPDATE SET
      started_at = least(s.started_at, excluded.started_at),
      (status, failure_reason, updated_at, tx_hash, delivery_tx_hash) = (
        SELECT e.status, e.failure_reason, e.updated_at, e.tx_hash, e.delivery_tx_hash
        FROM (VALUES
          (1, s.status, s.failure_reason, s.updated_at, s.tx_hash, s.delivery_tx_hash),
          (2, excluded.status, excluded.failure_reason, excluded.updated_at, excluded.tx_hash,
            excluded.delivery_tx_hash)
        ) AS e (heard, status, failure_reason, updated_at, tx_hash, delivery_tx_hash)
        ORDER BY ${rankOf(sql, sql`e.status`)} DESC, e.heard LIMIT 1
      )
    WHERE s.builder_id = excluded.builder_id
    RETURNING s.intent_id`
  if (rows.length === 0) return yield* new SweepConflict({ id: event.id })
})

const record = (sql: PgClient.PgClient): Sweeps["Service"]["record"] =>
  Effect.fn("Sweeps.record")(
    function* (event) {
      const { builderId, id, intentId, status } = event
      const document = sql.json(encodeEvent(event))
      const added = yield* sql`INSERT INTO builder.sweep_events (id, builder_id, intent_id, status, event, recorded_at)
        SELECT ${text(id)}, b.id, ${text(intentId)}, ${status}, ${document}::jsonb,
          ${timestamp(yield* Clock.currentTimeMillis)}::timestamptz
        FROM builder.builders b WHERE b.id = ${text(builderId)}
        ON CONFLICT DO NOTHING RETURNING id`
      if (added.length === 1) {
        yield* sumUp(sql, event)
        return "added"
      }
      const kept = yield* sql`SELECT event = ${document}::jsonb AS same FROM builder.sweep_events
        WHERE intent_id = ${text(intentId)} AND status = ${status}`
      if (kept.length === 0) return yield* new UnknownBuilder({ builderId })
      if (kept[0]?.["same"] === true) return "already_booked"
      return yield* new SweepConflict({ id })
    },
    (effect) => sql.withTransaction(effect),
    guarded("Sweeps.record")
  )

const find = (sql: PgClient.PgClient): Sweeps["Service"]["find"] =>
  Effect.fn("Sweeps.find")(function* (builderId, intentId) {
    const [row] = yield* decodeSweeps(
      yield* sql`SELECT * FROM builder.sweeps WHERE intent_id = ${text(intentId)} AND builder_id = ${text(builderId)}`
    )
    return Option.map(Option.fromUndefinedOr(row), toSweep)
  }, guarded("Sweeps.find"))

const builderOf = (sql: PgClient.PgClient): Sweeps["Service"]["builderOf"] =>
  Effect.fn("Sweeps.builderOf")(function* (intentId) {
    const [row] = yield* sql<{ readonly builder_id: string }>`
      SELECT builder_id FROM builder.sweeps WHERE intent_id = ${text(intentId)}`
    return Option.map(Option.fromUndefinedOr(row), (found) => found.builder_id)
  }, guarded("Sweeps.builderOf"))

const SENT = { chain: "source_chain_id", token: "token_in" }
const RECEIVED = { chain: "dest_chain_id", token: "token_out" }

type Page = Parameters<Sweeps["Service"]["list"]>[1]

/** Condition on the sweeps that a search finds. */
const found = (sql: PgClient.PgClient, search: SearchTerm) => {
  switch (search._tag) {
    case "Address":
      return sql`owner = ${search.address}`
    case "Hash":
      // The condition on the second hash is that of its index.
      return sql`(tx_hash = ${search.hash} OR delivery_tx_hash = ${search.hash} AND delivery_tx_hash <> tx_hash)`
    case "Id":
      return sql`intent_id = ${text(search.id)}`
  }
}

/** Sweeps of the token, or of the chain, on either side. */
const ofEitherSide = (sql: PgClient.PgClient, { chainId, token }: Page) => {
  const of = (side: typeof SENT) => {
    const ofChain = chainId === undefined ? sql`true` : sql`${sql.literal(side.chain)} = ${chainId}`
    const ofToken = token === undefined ? sql`true` : sql`${sql.literal(side.token)} = ${token}`
    return sql`${ofChain} AND ${ofToken}`
  }
  return sql`(${of(SENT)} OR ${of(RECEIVED)})`
}

/** The sweeps that a page lists, or more of them. */
const listed = Effect.fnUntraced(function* (sql: PgClient.PgClient, builderId: string, page: Page) {
  const { chainId, limit, search, status, token } = page
  const list = {
    table: "builder.sweeps",
    owner: sql`builder_id = ${text(builderId)}`,
    at: "started_at",
    key: "position"
  }
  const within = yield* ListPages.window(sql, list, page)
  const ofStatus = status === undefined ? sql`` : sql`AND status = ${status}`
  const newest = ListPages.newest(sql, list, limit)
  if (search !== undefined) {
    return sql`SELECT * FROM builder.sweeps WHERE ${list.owner} AND ${found(sql, search)} ${ofStatus}
      AND ${ofEitherSide(sql, page)} ${within} ${newest}`
  }
  if (chainId === undefined && token === undefined) {
    return sql`SELECT * FROM builder.sweeps WHERE ${list.owner} ${ofStatus} ${within} ${newest}`
  }
  const matching = { statuses: status === undefined ? SweepStatus.literals : [status], chainId, token }
  const of = (side: typeof SENT) => ListPages.ofSide(sql, list, side, matching, within, limit)
  return sql`(${of(SENT)}) UNION (${of(RECEIVED)})`
})

const list = (sql: PgClient.PgClient): Sweeps["Service"]["list"] =>
  Effect.fn("Sweeps.list")(function* (builderId, page) {
    const rows = yield* decodeSweeps(
      yield* sql`SELECT * FROM (${yield* listed(sql, builderId, page)}) AS matching
        ORDER BY started_at DESC, position DESC LIMIT ${page.limit}`
    )
    return rows.map((row) => ({ cursor: row.position, sweep: toSweep(row) }))
  }, guarded("Sweeps.list"))

const decodeSettled = Rows.decode(Schema.Struct({ intent_id: Schema.String, tx_hash: Hash, builder_fee: Rows.Integer }))

const ofTransactions = (sql: PgClient.PgClient): Sweeps["Service"]["ofTransactions"] =>
  Effect.fn("Sweeps.ofTransactions")(function* (builderId, txHashes) {
    const rows = yield* decodeSettled(
      yield* sql`SELECT s.intent_id, s.tx_hash, s.builder_fee FROM unnest(${txHashes}::text[]) AS t (hash)
        JOIN builder.sweeps s ON s.tx_hash = t.hash AND s.builder_id = ${text(builderId)}`
    )
    return rows.map((row) => ({ intentId: row.intent_id, txHash: row.tx_hash, builderFee: row.builder_fee }))
  }, guarded("Sweeps.ofTransactions"))

const timeline = (sql: PgClient.PgClient): Sweeps["Service"]["timeline"] =>
  Effect.fn("Sweeps.timeline")(function* (builderId, intentId) {
    const rows = yield* decodeEvents(
      yield* sql`SELECT event FROM builder.sweep_events
        WHERE intent_id = ${text(intentId)} AND builder_id = ${text(builderId)} ORDER BY ${rankOf(sql, sql`status`)}`
    )
    return rows.map(({ event }) => event)
  }, guarded("Sweeps.timeline"))

/** Sums by day, and the rows that they sum up. */
const SWEEPS = {
  kept: { table: "builder.sweep_day_sums", columns: "status, chain_id, token, amount, sweeps" },
  rows: {
    table: "builder.sweeps",
    at: "started_at",
    columns: "status, source_chain_id, token_in, -amount_in, -1"
  }
}

const totals = (sql: PgClient.PgClient): Sweeps["Service"]["totals"] =>
  Effect.fn("Sweeps.totals")(function* (builderId, period) {
    // One statement, so that the three sums are of the same moment.
    const rows = yield* decodeTotals(
      yield* sql`
        SELECT to_char(day, 'YYYY-MM-DD') AS day, status, chain_id, token::text AS token,
          sum(amount) AS amount, sum(sweeps)::bigint AS sweeps,
          coalesce(sum(sweeps) FILTER (WHERE status = 'delivered'), 0)::bigint AS delivered,
          coalesce(sum(sweeps) FILTER (WHERE status = 'failed'), 0)::bigint AS failed
        FROM (${WholeDays.parts(sql, period, SWEEPS, sql`builder_id = ${text(builderId)}`)}) AS parts
        GROUP BY GROUPING SETS ((status), (day), (status, chain_id, token))
        HAVING sum(sweeps) <> 0 AND (grouping(chain_id) = 1 OR status = 'delivered')
        ORDER BY parts.day DESC, chain_id, token`
    )
    const counts = { ...NO_SWEEPS }
    const volume: Array<Volume> = []
    const days: Array<SweepDay> = []
    for (const { amount, chain_id: chainId, day, delivered, failed, status, sweeps, token } of rows) {
      if (day !== null) days.push({ day, sweeps, delivered, failed })
      else if (chainId !== null && token !== null) volume.push({ chainId, token, amount, sweeps })
      else if (status !== null) counts[status] = sweeps
    }
    return { counts, volume, days }
  }, guarded("Sweeps.totals"))

export const layer = Layer.effect(
  Sweeps,
  Effect.map(PgClient.PgClient, (sql) =>
    Sweeps.of({
      record: record(sql),
      find: find(sql),
      builderOf: builderOf(sql),
      list: list(sql),
      ofTransactions: ofTransactions(sql),
      timeline: timeline(sql),
      totals: totals(sql)
    })
  )
)
