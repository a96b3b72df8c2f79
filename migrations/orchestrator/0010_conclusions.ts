/**
 * Reasons for which submitted intents are no longer sent, the booked cost of each relay transaction, and deliveries by their pair
 * of chains.
 *
 * An intent that was given up fails with its reason once a confirmed block is after its deadline. The table has no foreign key,
 * so that intents can be archived without it.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.given_up_intents (
    intent_id text COLLATE "C" PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    builder_id text,
    reason text NOT NULL,
    detail text NOT NULL,
    burned boolean NOT NULL,
    at timestamptz NOT NULL,
    not_before timestamptz NOT NULL
  )`
  yield* sql`CREATE INDEX given_up_intents_account ON orchestrator.given_up_intents (account, at) WHERE burned`
  yield* sql`CREATE INDEX given_up_intents_builder ON orchestrator.given_up_intents (builder_id, at) WHERE burned`
  yield* sql`CREATE INDEX given_up_intents_age ON orchestrator.given_up_intents (not_before)`

  // Cost that was booked in wei. A reorganisation that removes the transaction removes its cost from the books.
  yield* sql`ALTER TABLE orchestrator.relay_transactions ADD COLUMN cost orchestrator.uint256`
  // Final transactions without a block, whose receipts may come late.
  yield* sql`CREATE INDEX relay_transactions_displaced ON orchestrator.relay_transactions (chain_id, finalized_at)
    WHERE status = 'final' AND included_hash IS NULL`

  // Deliveries are looked for by pair of chains, so that a silent destination delays no other.
  yield* sql`CREATE INDEX intents_delivery_due_between
    ON orchestrator.intents (source_chain_id, ("order" ->> 'destChainId'), delivery_look_at, id)
    WHERE status = 'settled_source'`
  yield* sql`DROP INDEX orchestrator.intents_delivery_due`
})
