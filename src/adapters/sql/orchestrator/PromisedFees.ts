/** {@link PromisedFees} in PostgreSQL. A row is written by a statement of its own, so that every later read counts it. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { type PromisedFee, PromisedFees } from "../../../ports/orchestrator/PromisedFees.ts"
import { guarded, timestamp } from "../shared/Database.ts"

/** Rows of ended orders that each call deletes at most. More than it adds, so that they do not pile up. */
const ENDED = 8

const record = (sql: PgClient.PgClient): PromisedFees["Service"]["record"] =>
  Effect.fnUntraced(function* ({ amount, chainId, nonce, owner, token, untilMs }) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    yield* sql`
      WITH ended AS (
        DELETE FROM orchestrator.promised_fees WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM orchestrator.promised_fees WHERE until <= ${now} ORDER BY until LIMIT ${ENDED}
          FOR UPDATE SKIP LOCKED
        ))
      )
      INSERT INTO orchestrator.promised_fees (chain_id, owner, nonce, token, amount, until)
      VALUES (${chainId}, ${owner}, ${String(nonce)}::numeric, ${token}, ${String(amount)}::numeric, ${timestamp(untilMs)})
      ON CONFLICT (chain_id, owner, nonce)
      DO UPDATE SET token = excluded.token, amount = excluded.amount, until = excluded.until`
  }, guarded("PromisedFees.record"))

/** Makes the sum that all orders but one promise. */
const promisedBeside = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* ({ chainId, isBudgeted, nonce, owner, token }: PromisedFee) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    // The state of an order is read only if its owner has several: the only one counts in any state.
    const [others] = yield* sql<{ amount: string }>`
      SELECT coalesce(sum(of_owner.amount), 0)::text AS amount FROM (
        SELECT coalesce(sum(p.amount) FILTER (WHERE state.is_certain), 0)
          + coalesce(max(p.amount) FILTER (WHERE NOT state.is_certain), 0) AS amount
        FROM (
          SELECT owner, nonce, amount, count(*) OVER (PARTITION BY owner) AS orders FROM orchestrator.promised_fees
          WHERE chain_id = ${chainId} AND token = ${token} AND until > ${now}
            AND (owner <> ${owner} OR nonce <> ${String(nonce)}::numeric)
        ) p
        CROSS JOIN LATERAL (
          SELECT ${!isBudgeted} OR p.owner = ${owner} OR p.orders > 1 AND EXISTS (
            SELECT FROM orchestrator.intent_states s
            WHERE s.source_chain_id = ${chainId} AND s.owner = p.owner AND s.order_nonce = p.nonce AND s.status <> 'quoted'
          ) AS is_certain
          OFFSET 0
        ) state
        GROUP BY p.owner
      ) of_owner`
    return BigInt(others?.amount ?? "0")
  }, guarded("PromisedFees.promise"))

const promise = (sql: PgClient.PgClient): PromisedFees["Service"]["promise"] => {
  const [recorded, beside] = [record(sql), promisedBeside(sql)]
  return (fee) => Effect.andThen(recorded(fee), beside(fee))
}

const withdraw = (sql: PgClient.PgClient): PromisedFees["Service"]["withdraw"] =>
  Effect.fnUntraced(function* ({ chainId, nonce, owner }) {
    yield* sql`DELETE FROM orchestrator.promised_fees
      WHERE chain_id = ${chainId} AND owner = ${owner} AND nonce = ${String(nonce)}::numeric`
  }, guarded("PromisedFees.withdraw"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  PromisedFees,
  Effect.map(PgClient.PgClient, (sql) => ({ promise: promise(sql), record: record(sql), withdraw: withdraw(sql) }))
)
