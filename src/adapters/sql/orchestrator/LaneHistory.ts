/** Reads what the database knows of the relayer's lanes: their states and nonces, and what they spent in the last day. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { LaneState } from "../../../domain/LaneState.ts"

export interface LaneHistory {
  /** States of the lanes that an operator changed, by address in lower case. All others are active. */
  readonly states: ReadonlyMap<string, LaneState>
  /** Highest nonce of the lane's transactions and of the transfers of its rest, by `<chain id>:<address in lower case>`. */
  readonly highestNonce: ReadonlyMap<string, bigint>
  /** Wei of all lanes by chain id. */
  readonly spentInDay: ReadonlyMap<number, bigint>
}

/** Fails if the schema of the orchestrator does not exist. */
export const read = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const states = yield* sql<{ lane: string; state: LaneState }>`
    SELECT lower(lane::text) AS lane, state FROM orchestrator.lane_states`
  const nonces = yield* sql<{ key: string; nonce: string }>`
    SELECT chain_id || ':' || lower(lane::text) AS key, max(nonce)::text AS nonce FROM (
      SELECT chain_id, lane, next_nonce - 1 AS nonce FROM orchestrator.lanes
      UNION ALL SELECT chain_id, lane, nonce FROM orchestrator.lane_withdrawals
    ) used GROUP BY 1`
  const spending = yield* sql<{ chain: string; wei: string }>`
    SELECT chain_id::text AS chain, sum(wei)::text AS wei FROM orchestrator.relay_spending
    WHERE hour >= now() - interval '1 day' GROUP BY chain_id`
  return {
    states: new Map(states.map(({ lane, state }) => [lane, state])),
    highestNonce: new Map(nonces.map(({ key, nonce }) => [key, BigInt(nonce)])),
    spentInDay: new Map(spending.map(({ chain, wei }) => [Number(chain), BigInt(wei)]))
  } satisfies LaneHistory
})
