/**
 * Tokens that owners got in place of what the quote promises. Refunds that bridges owe to owners, and the payments that were found. The release before neither writes nor reads the tables, so that
 * refunds of its time are not looked for.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.intent_refunds (
    intent_id text COLLATE "C" PRIMARY KEY,
    source_chain_id bigint NOT NULL,
    account orchestrator.address NOT NULL,
    token orchestrator.address NOT NULL,
    amount orchestrator.uint256 NOT NULL,
    not_before timestamptz NOT NULL,
    search_from bigint,
    look_at timestamptz NOT NULL,
    looks integer NOT NULL DEFAULT 0,
    tx_hash orchestrator.word,
    log_index integer,
    entry integer,
    part integer,
    found_at timestamptz,
    CONSTRAINT intent_refunds_found CHECK (
      num_nulls(tx_hash, log_index, entry, part, found_at) IN (0, 5)
    )
  )`
  // A payment returns one deposit, or several that are recorded together as its parts. So none is recorded twice.
  yield* sql`CREATE UNIQUE INDEX intent_refunds_line
    ON orchestrator.intent_refunds (source_chain_id, tx_hash, log_index, entry, part) WHERE tx_hash IS NOT NULL`
  yield* sql`CREATE INDEX intent_refunds_due
    ON orchestrator.intent_refunds (source_chain_id, look_at) WHERE tx_hash IS NULL`
  yield* sql`CREATE INDEX intent_refunds_account
    ON orchestrator.intent_refunds (source_chain_id, account) WHERE tx_hash IS NULL`
  // Tokens that arrived where the swap on arrival failed.
  yield* sql`CREATE TABLE orchestrator.intent_arrivals (
    intent_id text COLLATE "C" PRIMARY KEY,
    token orchestrator.address NOT NULL,
    amount orchestrator.uint256 NOT NULL
  )`
})
