/** Times and costs of a run, from the service's stored timestamps and the chain's receipts. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface Figures {
  readonly delivered: number
  readonly failed: number
  /** From the first submission to the last settlement. */
  readonly settledPerSecond: number
  /** Without the first and the last tenth of the settlements. */
  readonly steadyPerSecond: number
  readonly acceptToBroadcastMs: Percentiles
  readonly acceptToSettledMs: Percentiles
  readonly transactions: number
}

/** Of the intents whose ids are given; `broadcast_at` is when the node had answered. */
export const read = Effect.fnUntraced(function* (sql: PgClient, ids: ReadonlyArray<string>) {
  const [row] = yield* sql<Record<string, number | null>>`
    WITH swept AS (
      SELECT i.id, i.status, extract(epoch FROM i.submitted_at) * 1000 AS submitted,
        (SELECT extract(epoch FROM e.at) * 1000 FROM orchestrator.intent_events e
          WHERE e.intent_id = i.id AND e.event = 'Delivered') AS settled,
        (SELECT min(extract(epoch FROM a.broadcast_at)) * 1000
          FROM orchestrator.relay_transaction_intents l
          JOIN orchestrator.relay_attempts a ON a.transaction_id = l.transaction_id
          WHERE l.intent_id = i.id) AS broadcast
      FROM orchestrator.intents i WHERE i.id = ANY(${ids})
    ), middle AS (
      SELECT percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY settled) AS bounds FROM swept
    )
    SELECT
      count(*) FILTER (WHERE status = 'delivered')::float8 AS delivered,
      count(*) FILTER (WHERE status = 'failed')::float8 AS failed,
      (max(settled) - min(submitted))::float8 AS overall_ms,
      (SELECT bounds[2] - bounds[1] FROM middle)::float8 AS steady_ms,
      (SELECT count(*) FROM swept, middle WHERE settled > bounds[1] AND settled <= bounds[2])::float8 AS steady,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY broadcast - submitted)::float8 AS broadcast_p50,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY broadcast - submitted)::float8 AS broadcast_p95,
      percentile_cont(0.99) WITHIN GROUP (ORDER BY broadcast - submitted)::float8 AS broadcast_p99,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY settled - submitted)::float8 AS settled_p50,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY settled - submitted)::float8 AS settled_p95,
      percentile_cont(0.99) WITHIN GROUP (ORDER BY settled - submitted)::float8 AS settled_p99,
      (SELECT count(DISTINCT l.transaction_id) FROM orchestrator.relay_transaction_intents l
        WHERE l.intent_id = ANY(${ids}))::float8 AS transactions
    FROM swept`
  const at = (name: string) => row?.[name] ?? 0
  const percentiles = (name: string): Percentiles => ({
    p50: at(`${name}_p50`),
    p95: at(`${name}_p95`),
    p99: at(`${name}_p99`)
  })
  return {
    delivered: at("delivered"),
    failed: at("failed"),
    settledPerSecond: (at("delivered") * 1_000) / at("overall_ms"),
    steadyPerSecond: (at("steady") * 1_000) / at("steady_ms"),
    acceptToBroadcastMs: percentiles("broadcast"),
    acceptToSettledMs: percentiles("settled"),
    transactions: at("transactions")
  } satisfies Figures
})

/** Gas of everything that the lanes had mined, in blocks after `from`. */
export const gasOf = async (
  receipts: (block: bigint) => Promise<ReadonlyArray<{ readonly from: string; readonly gasUsed: bigint }>>,
  lanes: ReadonlyArray<string>,
  from: bigint,
  to: bigint
): Promise<bigint> => {
  const ours = new Set(lanes.map((lane) => lane.toLowerCase()))
  let total = 0n
  for (let block = from + 1n; block <= to; block++) {
    for (const { from: sender, gasUsed } of await receipts(block)) {
      if (ours.has(sender.toLowerCase())) total += gasUsed
    }
  }
  return total
}
