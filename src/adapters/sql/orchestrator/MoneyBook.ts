/** {@link MoneyBook} in PostgreSQL, from sums by day that triggers keep. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Sums } from "../../../domain/Money.ts"
import type { Tier } from "../../../domain/Tier.ts"
import { BUILDERS, MoneyBook } from "../../../ports/orchestrator/MoneyBook.ts"
import { guarded, timestamp } from "../shared/Database.ts"

type Sql = PgClient.PgClient

/** Number of changes that one statement sums up. */
const CHANGES = 20_000

interface Row {
  readonly sweeps: string
  readonly unpriced_sweeps: string
  readonly failed: string
  readonly fees: string
  readonly gas: string
  readonly failures: string
  readonly unpriced_wei: string
}

const COLUMNS = ["sweeps", "unpriced_sweeps", "failed", "fees", "gas", "failures", "unpriced_wei"] as const

const toSums = (row: Row): Sums => ({
  sweeps: Number(row.sweeps),
  unpricedSweeps: Number(row.unpriced_sweeps),
  failed: Number(row.failed),
  fees: BigInt(row.fees),
  gas: BigInt(row.gas),
  failures: BigInt(row.failures),
  unpricedWei: BigInt(row.unpriced_wei)
})

const summed = (sql: Sql) => sql.literal(COLUMNS.map((column) => `sum(${column})::text AS ${column}`).join(", "))

const from = (sql: Sql, fromMs: number) => sql`day >= (${timestamp(fromMs)}::timestamptz AT TIME ZONE 'UTC')::date`

const since = (sql: Sql): MoneyBook["Service"]["since"] =>
  Effect.fn("MoneyBook.since")(
    function* (fromMs) {
      // Both reads see the same sums.
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
      const chains = yield* sql<Row & { readonly chain_id: bigint; readonly tier: Tier | "" }>`
        SELECT chain_id, tier, ${summed(sql)} FROM orchestrator.money_chain_sums WHERE ${from(sql, fromMs)}
        GROUP BY chain_id, tier ORDER BY chain_id, tier`
      const builders = yield* sql<Row & { readonly builder_id: string }>`
        SELECT builder_id, ${summed(sql)} FROM orchestrator.money_builder_sums WHERE ${from(sql, fromMs)}
        GROUP BY builder_id ORDER BY sum(fees) DESC, builder_id LIMIT ${BUILDERS}`
      return {
        chains: chains.map(({ chain_id, tier, ...sums }) => ({
          chainId: Number(chain_id),
          ...(tier === "" ? {} : { tier }),
          ...toSums(sums)
        })),
        builders: builders.map(({ builder_id, ...sums }) => ({
          ...(builder_id === "" ? {} : { builderId: builder_id }),
          ...toSums(sums)
        }))
      }
    },
    (effect) => sql.withTransaction(effect),
    guarded("MoneyBook.since")
  )

/** Moves changes into the sums by day. One process at a time: the others would wait for its row locks. */
export const sumUp = (sql: Sql) => {
  const columns = sql.literal(COLUMNS.join(", "))
  const sums = sql.literal(COLUMNS.map((column) => `sum(${column})`).join(", "))
  const grown = sql.literal(COLUMNS.map((column) => `${column} = k.${column} + excluded.${column}`).join(", "))
  return sql`
    WITH turn AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(hashtextextended('token-sweep.money', 0)) AS taken
    ), gone AS (
      DELETE FROM orchestrator.money_parts WHERE ctid = ANY(ARRAY(
        SELECT p.ctid FROM turn, orchestrator.money_parts p WHERE turn.taken LIMIT ${CHANGES}
      ))
      RETURNING *
    ), builders AS (
      INSERT INTO orchestrator.money_builder_days AS k (day, builder_id, ${columns})
      SELECT day, builder_id, ${sums} FROM gone GROUP BY day, builder_id ORDER BY day, builder_id
      ON CONFLICT (day, builder_id) DO UPDATE SET ${grown}
    )
    INSERT INTO orchestrator.money_chain_days AS k (day, chain_id, tier, ${columns})
    SELECT day, chain_id, tier, ${sums} FROM gone GROUP BY day, chain_id, tier ORDER BY day, chain_id, tier
    ON CONFLICT (day, chain_id, tier) DO UPDATE SET ${grown}`
}

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  MoneyBook,
  Effect.map(PgClient.PgClient, (sql) => MoneyBook.of({ since: since(sql) }))
)
