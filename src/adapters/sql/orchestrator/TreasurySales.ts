/** {@link TreasurySales} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Address from "../../../domain/Address.ts"
import type { Hash } from "../../../domain/Hex.ts"
import type { NewSale, SaleState, StoredSale, UnsellableReason } from "../../../domain/Treasury.ts"
import { type NewRound, TreasurySales } from "../../../ports/orchestrator/TreasurySales.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"

interface Row {
  readonly id: bigint
  readonly chain_id: bigint
  readonly seller: string
  readonly token: string
  readonly asset: string
  readonly amount: string
  readonly rest: string
  readonly state: SaleState
  readonly version: number
  readonly opened_at: Date
  readonly updated_at: Date
  readonly intent_id: string | null
  readonly fee_amount: string | null
  readonly amount_out: string | null
  readonly tx_hash: Hash | null
  readonly reason: UnsellableReason | null
  readonly detail: string | null
}

const toSale = (row: Row): StoredSale => ({
  id: row.id.toString(),
  chainId: Number(row.chain_id),
  seller: Address.stored(row.seller),
  token: Address.stored(row.token),
  asset: Address.stored(row.asset),
  amount: BigInt(row.amount),
  rest: BigInt(row.rest),
  state: row.state,
  version: row.version,
  openedAtMs: row.opened_at.getTime(),
  updatedAtMs: row.updated_at.getTime(),
  ...(row.intent_id === null ? {} : { intentId: row.intent_id }),
  ...(row.fee_amount === null ? {} : { feeAmount: BigInt(row.fee_amount) }),
  ...(row.amount_out === null ? {} : { amountOut: BigInt(row.amount_out) }),
  ...(row.tx_hash === null ? {} : { txHash: row.tx_hash }),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.detail === null ? {} : { detail: row.detail })
})

type Sql = PgClient.PgClient
type Shape = TreasurySales["Service"]

const now = Effect.map(Clock.currentTimeMillis, timestamp)

const collected = (sql: Sql): Shape["collected"] =>
  sql<{ chain_id: bigint; delegate: string; token: string; amount: string; sweeps: bigint }>`
    SELECT chain_id, delegate, token, amount::text AS amount, sweeps FROM orchestrator.treasury_fee_sums
    ORDER BY chain_id, delegate, token`.pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        chainId: Number(row.chain_id),
        delegate: Address.stored(row.delegate),
        token: Address.stored(row.token),
        amount: BigInt(row.amount),
        sweeps: Number(row.sweeps)
      }))
    ),
    guarded("TreasurySales.collected")
  )

const sold = (sql: Sql): Shape["sold"] =>
  sql<{ chain_id: bigint; seller: string; token: string; asset: string; amount: string; out: string; sales: bigint }>`
    SELECT chain_id, seller, token, asset, sum(amount - fee_amount)::text AS amount, sum(amount_out)::text AS out,
      count(*) AS sales
    FROM orchestrator.treasury_sales WHERE state = 'settled'
    GROUP BY chain_id, seller, token, asset ORDER BY chain_id, seller, token, asset`.pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        chainId: Number(row.chain_id),
        seller: Address.stored(row.seller),
        token: Address.stored(row.token),
        asset: Address.stored(row.asset),
        amount: BigInt(row.amount),
        amountOut: BigInt(row.out),
        sales: Number(row.sales)
      }))
    ),
    guarded("TreasurySales.sold")
  )

const open = (sql: Sql): Shape["open"] =>
  sql<Row>`SELECT * FROM orchestrator.treasury_sales WHERE state IN ('planned', 'offered') ORDER BY id`.pipe(
    Effect.map((rows) => rows.map(toSale)),
    guarded("TreasurySales.open")
  )

const recent = (sql: Sql): Shape["recent"] =>
  Effect.fn("TreasurySales.recent")(function* (limit) {
    const rows = yield* sql<Row>`SELECT * FROM orchestrator.treasury_sales ORDER BY id DESC LIMIT ${limit}`
    return rows.map(toSale)
  }, guarded("TreasurySales.recent"))

const failures = (sql: Sql): Shape["failures"] =>
  sql<{ chain_id: bigint; token: string; failures: number; reason: UnsellableReason; detail: string; failed_at: Date }>`
    SELECT chain_id, token, failures, reason, detail, failed_at FROM orchestrator.treasury_failures
    ORDER BY chain_id, token`.pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        chainId: Number(row.chain_id),
        token: Address.stored(row.token),
        failures: row.failures,
        reason: row.reason,
        detail: row.detail,
        failedAtMs: row.failed_at.getTime()
      }))
    ),
    guarded("TreasurySales.failures")
  )

const lastRoundAtMs = (sql: Sql): Shape["lastRoundAtMs"] =>
  sql<{ began_at: Date }>`SELECT began_at FROM orchestrator.treasury_rounds`.pipe(
    Effect.map(([row]) => Option.fromUndefinedOr(row?.began_at.getTime())),
    guarded("TreasurySales.lastRoundAtMs")
  )

const firstDueAtMs = (sql: Sql): Shape["firstDueAtMs"] =>
  Effect.gen(function* () {
    const [row] = yield* sql<{ due_at: Date }>`
      INSERT INTO orchestrator.treasury_first_round AS r (due_at) VALUES (${yield* now})
      ON CONFLICT (single) DO UPDATE SET due_at = least(r.due_at, excluded.due_at)
      RETURNING due_at`
    return row?.due_at.getTime() ?? (yield* Clock.currentTimeMillis)
  }).pipe(guarded("TreasurySales.firstDueAtMs"))

/** Counts a failure of each token. A token is refused once. */
const refuse = (sql: Sql, refused: NewRound["refused"], at: Date) => sql`
  INSERT INTO orchestrator.treasury_failures AS f (chain_id, token, failures, reason, detail, failed_at)
  SELECT g.chain_id, g.token, 1, g.reason, g.detail, ${at}
  FROM unnest(
    ${refused.map(({ chainId }) => chainId)}::bigint[], ${refused.map(({ token }) => token)}::text[],
    ${refused.map(({ reason }) => reason)}::text[], ${refused.map(({ detail }) => text(detail))}::text[]
  ) AS g (chain_id, token, reason, detail)
  ORDER BY g.chain_id, g.token
  ON CONFLICT (chain_id, token) DO UPDATE
  SET failures = f.failures + 1, reason = excluded.reason, detail = excluded.detail, failed_at = excluded.failed_at`

const plan = (sql: Sql, sale: NewSale, at: Date, due: Fragment) => sql<Row>`
  INSERT INTO orchestrator.treasury_sales (chain_id, seller, token, asset, amount, rest, opened_at, updated_at, due_at)
  VALUES (${sale.chainId}, ${sale.seller}, ${sale.token}, ${sale.asset}, ${sale.amount.toString()}::numeric,
    ${sale.rest.toString()}::numeric, ${at}, ${at}, ${due})
  ON CONFLICT (chain_id, token) WHERE state IN ('planned', 'offered') DO NOTHING
  RETURNING *`

const openRound = (sql: Sql): Shape["openRound"] =>
  Effect.fn("TreasurySales.openRound")(
    function* ({ refused, sales, unlessSinceMs }) {
      const at = yield* now
      const limit = timestamp(unlessSinceMs ?? at.getTime() + 1)
      const began = yield* sql`
        INSERT INTO orchestrator.treasury_rounds AS r (began_at) VALUES (${at})
        ON CONFLICT (single) DO UPDATE SET began_at = greatest(r.began_at, excluded.began_at)
        WHERE r.began_at < ${limit} OR ${unlessSinceMs === undefined}
        RETURNING 1`
      if (began.length === 0) return Option.none()
      const due = yield* boundedTime(sql, at.getTime())
      const opened = yield* Effect.forEach(sales, (sale) => plan(sql, sale, at, due))
      if (refused.length > 0) yield* refuse(sql, refused, at)
      return Option.some(opened.flat().map(toSale))
    },
    (effect) => sql.withTransaction(effect),
    guarded("TreasurySales.openRound")
  )

const claim = (sql: Sql): Shape["claim"] =>
  Effect.fn("TreasurySales.claim")(function* ({ leaseMillis, limit }) {
    const at = yield* now
    const rows = yield* sql<Row>`
      UPDATE orchestrator.treasury_sales SET due_at = ${yield* boundedTime(sql, at.getTime() + leaseMillis)}
      WHERE id = ANY(ARRAY(
        SELECT id FROM orchestrator.treasury_sales WHERE state IN ('planned', 'offered') AND due_at <= ${yield* boundedTime(sql, at.getTime())}
        ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING *`
    return rows.map(toSale).toSorted((a, b) => Number(a.id) - Number(b.id))
  }, guarded("TreasurySales.claim"))

const postpone = (sql: Sql): Shape["postpone"] =>
  Effect.fn("TreasurySales.postpone")(function* ({ id, version }, dueAtMs) {
    yield* sql`UPDATE orchestrator.treasury_sales SET due_at = ${yield* boundedTime(sql, dueAtMs)}
      WHERE id = ${id}::bigint AND version = ${version} AND state IN ('planned', 'offered')`
  }, guarded("TreasurySales.postpone"))

const offer = (sql: Sql): Shape["offer"] =>
  Effect.fn("TreasurySales.offer")(function* ({ id, version }, { feeAmount, intentId }) {
    const [row] = yield* sql<Row>`
      UPDATE orchestrator.treasury_sales SET state = 'offered', version = version + 1, updated_at = ${yield* now},
        intent_id = ${text(intentId)}, fee_amount = ${feeAmount.toString()}::numeric
      WHERE id = ${id}::bigint AND version = ${version} AND state = 'planned' RETURNING *`
    return Option.map(Option.fromUndefinedOr(row), toSale)
  }, guarded("TreasurySales.offer"))

const replan = (sql: Sql): Shape["replan"] =>
  Effect.fn("TreasurySales.replan")(function* ({ id, version }, dueAtMs) {
    const rows = yield* sql`
      UPDATE orchestrator.treasury_sales SET state = 'planned', version = version + 1, updated_at = ${yield* now},
        due_at = ${yield* boundedTime(sql, dueAtMs)}, intent_id = NULL, fee_amount = NULL
      WHERE id = ${id}::bigint AND version = ${version} AND state = 'offered' RETURNING 1`
    return rows.length > 0
  }, guarded("TreasurySales.replan"))

const settle = (sql: Sql): Shape["settle"] =>
  Effect.fn("TreasurySales.settle")(
    function* (sale, { amountOut, txHash }, next) {
      const at = yield* now
      const closed = yield* sql`
        UPDATE orchestrator.treasury_sales SET state = 'settled', version = version + 1, updated_at = ${at},
          amount_out = ${amountOut.toString()}::numeric, tx_hash = ${txHash}
        WHERE id = ${sale.id}::bigint AND version = ${sale.version} AND state = 'offered' RETURNING 1`
      if (closed.length === 0) return false
      yield* sql`DELETE FROM orchestrator.treasury_failures WHERE chain_id = ${sale.chainId} AND token = ${sale.token}`
      if (next !== undefined) {
        const due = yield* boundedTime(sql, next.dueAtMs)
        yield* plan(sql, { ...sale, amount: next.amount, rest: next.rest }, at, due)
      }
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("TreasurySales.settle")
  )

const fail = (sql: Sql): Shape["fail"] =>
  Effect.fn("TreasurySales.fail")(
    function* (sale, why) {
      const at = yield* now
      const closed = yield* sql`
        UPDATE orchestrator.treasury_sales SET state = 'failed', version = version + 1, updated_at = ${at},
          reason = ${why.reason}, detail = ${text(why.detail)}
        WHERE id = ${sale.id}::bigint AND version = ${sale.version} AND state IN ('planned', 'offered') RETURNING 1`
      if (closed.length === 0) return false
      yield* refuse(sql, [{ ...why, chainId: sale.chainId, token: sale.token }], at)
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("TreasurySales.fail")
  )

/** Changes that one statement sums up. */
const CHANGES = 20_000

const sumUp = (sql: Sql): Shape["sumUp"] =>
  // One process at a time: the others would wait for its row locks.
  sql`
    WITH turn AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(hashtextextended('token-sweep.treasury', 0)) AS taken
    ), gone AS (
      DELETE FROM orchestrator.treasury_fee_parts WHERE ctid = ANY(ARRAY(
        SELECT p.ctid FROM turn, orchestrator.treasury_fee_parts p WHERE turn.taken LIMIT ${CHANGES}
      ))
      RETURNING *
    )
    INSERT INTO orchestrator.treasury_fees AS k (chain_id, delegate, token, amount, sweeps)
    SELECT chain_id, delegate, token, sum(amount), sum(sweeps) FROM gone
    GROUP BY chain_id, delegate, token ORDER BY chain_id, delegate, token
    ON CONFLICT (chain_id, delegate, token)
      DO UPDATE SET amount = k.amount + excluded.amount, sweeps = k.sweeps + excluded.sweeps`.pipe(
    Effect.asVoid,
    guarded("TreasurySales.sumUp")
  )

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  TreasurySales,
  Effect.map(PgClient.PgClient, (sql) =>
    TreasurySales.of({
      collected: collected(sql),
      sold: sold(sql),
      open: open(sql),
      recent: recent(sql),
      failures: failures(sql),
      lastRoundAtMs: lastRoundAtMs(sql),
      firstDueAtMs: firstDueAtMs(sql),
      openRound: openRound(sql),
      claim: claim(sql),
      postpone: postpone(sql),
      offer: offer(sql),
      replan: replan(sql),
      settle: settle(sql),
      fail: fail(sql),
      sumUp: sumUp(sql)
    })
  )
)
