/**
 * Indexes of the queue that work under any statistics. If the statistics are older than a burst, the planner takes the
 * queue for empty, and a scan of any index of queued intents for free: a claim then reads the whole queue once for each
 * intent in it. So the condition of each index has a form of its own, which exactly one query uses.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Oldest first, for claims.
  yield* sql`DROP INDEX orchestrator.intents_claimable`
  yield* sql`CREATE INDEX intents_claimable ON orchestrator.intents (source_chain_id, submitted_at, id) WHERE queued`
  // Other intents of an account, for claims.
  yield* sql`DROP INDEX orchestrator.intents_queued_by_account`
  yield* sql`CREATE INDEX intents_queued_by_account ON orchestrator.intents (account) WHERE coalesce(queued, false)`
  // Overdue intents, for the watcher.
  yield* sql`DROP INDEX orchestrator.intents_overdue`
  yield* sql`CREATE INDEX intents_overdue ON orchestrator.intents (source_chain_id, deadline)
    WHERE status = 'submitted' AND relay_transaction_id IS NULL`
  // The row of an intent is written five times in a few seconds. Free space in its page allows updates that change no
  // indexed column without new index entries.
  yield* sql`ALTER TABLE orchestrator.intents SET (fillfactor = 60)`
})
