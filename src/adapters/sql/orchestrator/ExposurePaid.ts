/** Network fees that owners have paid, and those of sweeps that failed at the relayer's cost, in PostgreSQL. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Exposures } from "../../../ports/orchestrator/Exposures.ts"
import { guarded } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"

/**
 * Newest orders of an owner that are looked at, so that one owner's many quotes do not make it slow. Many, since anybody can ask for
 * quotes of an owner.
 */
const NEWEST_ORDERS = 1_000

export const paid = (sql: PgClient.PgClient): Exposures["Service"]["paid"] =>
  Effect.fnUntraced(function* (chainId, owners) {
    if (owners.length === 0) return []
    const accounts = owners.map((owner) => `${chainId}:${owner}`)
    const rows = yield* sql<{ owner: Address.Address; token: Address.Address; settled: string; failed: string }>`
      SELECT s.owner, t.token_in AS token,
        coalesce(sum(t.cover_value) FILTER (WHERE s.is_settled), 0)::text AS settled,
        coalesce(sum(t.cover_value) FILTER (WHERE NOT s.is_settled), 0)::text AS failed
      FROM (
        SELECT newest.owner, newest.number, true AS is_settled
        FROM unnest(${owners}::text[]) AS o (owner) CROSS JOIN LATERAL (
          SELECT i.owner, i.number, i.status FROM orchestrator.intent_states i
          WHERE i.source_chain_id = ${chainId} AND i.owner = o.owner COLLATE "C"
          ORDER BY i.order_nonce DESC LIMIT ${NEWEST_ORDERS}
        ) newest WHERE newest.status IN ('settled_source', 'delivered')
        UNION ALL
        SELECT i.owner, i.number, false FROM orchestrator.intent_states i
        WHERE i.owner = ANY(${owners}) AND i.burned_at IS NOT NULL AND i.source_chain_id = ${chainId}
        UNION ALL
        SELECT i.owner, i.number, false
        FROM orchestrator.given_up_intents g JOIN orchestrator.intent_states i ON i.id = g.intent_id
        WHERE g.account = ANY(${accounts}) AND g.burned AND i.status = 'submitted'
      ) s ${sql.literal(IntentTables.terms("s"))}
      GROUP BY s.owner, t.token_in`
    return rows.map((row) => ({ ...row, settled: BigInt(row.settled), failed: BigInt(row.failed) }))
  }, guarded("paid"))
