/** Reads what the database knows of the relayer's lanes: their nonces, and what they spent in the last day. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

export interface LaneHistory {
  /** Highest nonce by `<chain id>:<address in lower case>`. */
  readonly highestNonce: ReadonlyMap<string, bigint>
  /** Wei of all lanes by chain id. */
  readonly spentInDay: ReadonlyMap<number, bigint>
}

/** Fails if the schema of the orchestrator does not exist. */
export const read = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const nonces = yield* sql<{ key: string; nonce: string }>`
    SELECT chain_id || ':' || lower(lane::text) AS key, (next_nonce - 1)::text AS nonce FROM orchestrator.lanes`
  const spending = yield* sql<{ chain: string; wei: string }>`
    SELECT chain_id::text AS chain, sum(wei)::text AS wei FROM orchestrator.relay_spending
    WHERE hour >= now() - interval '1 day' GROUP BY chain_id`
  return {
    highestNonce: new Map(nonces.map(({ key, nonce }) => [key, BigInt(nonce)])),
    spentInDay: new Map(spending.map(({ chain, wei }) => [Number(chain), BigInt(wei)]))
  } satisfies LaneHistory
})
