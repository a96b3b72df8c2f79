/**
 * Indexes of the queue that hold under any statistics. To a planner whose statistics are older than a burst the queue is empty,
 * and every index of queued intents alone costs nothing to search from end to end: a claim then reads the whole queue once for
 * each intent in it. So each of these conditions is spelled in a way of its own, which exactly one query uses.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The oldest first, for claims.
  yield* sql`DROP INDEX orchestrator.intents_claimable`
  yield* sql`CREATE INDEX intents_claimable ON orchestrator.intents (source_chain_id, submitted_at, id) WHERE queued`
  // An account's others, for claims too.
  yield* sql`DROP INDEX orchestrator.intents_queued_by_account`
  yield* sql`CREATE INDEX intents_queued_by_account ON orchestrator.intents (account) WHERE coalesce(queued, false)`
  // Those that are too late, for the watcher.
  yield* sql`DROP INDEX orchestrator.intents_overdue`
  yield* sql`CREATE INDEX intents_overdue ON orchestrator.intents (source_chain_id, deadline)
    WHERE status = 'submitted' AND relay_transaction_id IS NULL`
  // An intent's row is written five times in a few seconds: the room that a page keeps for its rows' next versions spares
  // those that change no indexed column their index entries.
  yield* sql`ALTER TABLE orchestrator.intents SET (fillfactor = 60)`
})
