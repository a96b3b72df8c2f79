/** Spending of the relayer by the hour, indexes of failures at its cost, and transactions that lost a final block. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Maximum cost in wei, until the actual cost is known.
  yield* sql`ALTER TABLE orchestrator.relay_transactions ADD COLUMN reserved orchestrator.uint256 NOT NULL DEFAULT 0`
  // Sums by the hour, since a day can have millions of transactions, and the cap is read before every batch.
  yield* sql`CREATE TABLE orchestrator.relay_spending (
    chain_id bigint NOT NULL,
    hour timestamptz NOT NULL,
    wei numeric(78, 0) NOT NULL,
    PRIMARY KEY (chain_id, hour)
  )`

  // Final transactions by block, since a deep reorg can still remove their blocks.
  yield* sql`ALTER TABLE orchestrator.relay_transactions ADD COLUMN reopened boolean NOT NULL DEFAULT false`
  yield* sql`CREATE INDEX relay_transactions_final_by_block
    ON orchestrator.relay_transactions (chain_id, included_block_number) WHERE status = 'final'`

  // Sweeps that were sent and failed: the relayer paid without income.
  yield* sql`CREATE INDEX intents_burned_by_account ON orchestrator.intents (account, updated_at)
    WHERE status = 'failed' AND tx_hash IS NOT NULL`
  yield* sql`CREATE INDEX intents_burned_by_builder ON orchestrator.intents (builder_id, updated_at)
    WHERE status = 'failed' AND tx_hash IS NOT NULL AND builder_id IS NOT NULL`
})
