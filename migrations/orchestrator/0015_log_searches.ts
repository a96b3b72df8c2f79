/**
 * Searches of logs that take several looks, and deliveries whose transaction is found later.
 *
 * Nodes limit `eth_getLogs` to as few as 10 blocks, so a search may continue in a later look, or in another process. A delivery
 * is proved by the bridge's state, and its transaction is only known from a log.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intents ADD COLUMN searches jsonb`
  yield* sql`ALTER TABLE orchestrator.intents DROP CONSTRAINT intents_delivery`
  // NOT VALID: the constraint before was stricter, so that the rows need not be read again.
  yield* sql`ALTER TABLE orchestrator.intents
    ADD CONSTRAINT intents_delivery CHECK (status = 'delivered' OR delivery_tx_hash IS NULL) NOT VALID`
  yield* sql`CREATE INDEX intents_fill_unseen
    ON orchestrator.intents (source_chain_id, ("order" ->> 'destChainId'), delivery_look_at, id)
    WHERE status = 'delivered' AND delivery_tx_hash IS NULL`
})
