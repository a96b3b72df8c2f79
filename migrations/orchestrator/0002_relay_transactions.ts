/**
 * Transactions that the relayer signed. A transaction is one nonce of one lane; an attempt is one signed version of it.
 *
 * The two partial unique indexes on the links enforce a rule of money in the database: at most one unfinished
 * transaction carries an intent, and at most one carries an owner's intents on a chain.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // This row serializes a lane: an allocation of a nonce holds its lock until the signed bytes are committed.
  yield* sql`CREATE TABLE orchestrator.lanes (
    chain_id bigint NOT NULL,
    lane orchestrator.address NOT NULL,
    next_nonce bigint NOT NULL CHECK (next_nonce >= 0),
    PRIMARY KEY (chain_id, lane)
  )`

  yield* sql`CREATE TABLE orchestrator.relay_transactions (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    chain_id bigint NOT NULL,
    lane orchestrator.address NOT NULL,
    nonce bigint NOT NULL CHECK (nonce >= 0),
    kind text NOT NULL CHECK (kind IN ('sweep', 'cancel')),
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'mined', 'final')),
    included_hash orchestrator.hash,
    included_block_number bigint,
    included_block_hash orchestrator.hash,
    created_at timestamptz NOT NULL,
    finalized_at timestamptz,
    CONSTRAINT relay_transactions_nonce_key UNIQUE (chain_id, lane, nonce),
    CONSTRAINT relay_transactions_lane FOREIGN KEY (chain_id, lane) REFERENCES orchestrator.lanes (chain_id, lane),
    CONSTRAINT relay_transactions_inclusion
      CHECK (num_nulls(included_hash, included_block_number, included_block_hash) IN (0, 3)),
    CONSTRAINT relay_transactions_pending CHECK (status <> 'pending' OR included_hash IS NULL),
    CONSTRAINT relay_transactions_mined CHECK (status <> 'mined' OR included_hash IS NOT NULL),
    CONSTRAINT relay_transactions_final CHECK ((status = 'final') = (finalized_at IS NOT NULL))
  )`
  yield* sql`CREATE INDEX relay_transactions_unfinished ON orchestrator.relay_transactions (chain_id, lane, nonce)
    WHERE status <> 'final'`

  // Raw transactions can have 128 KB and are never searched. bytea takes half the space of hex.
  yield* sql`CREATE TABLE orchestrator.relay_attempts (
    hash orchestrator.hash PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    transaction_id bigint NOT NULL REFERENCES orchestrator.relay_transactions (id),
    raw bytea NOT NULL,
    max_fee_per_gas orchestrator.uint256 NOT NULL,
    max_priority_fee_per_gas orchestrator.uint256 NOT NULL,
    signed_at timestamptz NOT NULL,
    broadcast_at timestamptz
  )`
  yield* sql`CREATE INDEX relay_attempts_transaction ON orchestrator.relay_attempts (transaction_id, position)`

  yield* sql`CREATE TABLE orchestrator.relay_transaction_intents (
    transaction_id bigint NOT NULL REFERENCES orchestrator.relay_transactions (id),
    intent_id text COLLATE "C" NOT NULL REFERENCES orchestrator.intents (id),
    position integer NOT NULL,
    account text COLLATE "C" NOT NULL,
    active boolean NOT NULL DEFAULT true,
    PRIMARY KEY (transaction_id, intent_id)
  )`
  yield* sql`CREATE UNIQUE INDEX relay_transaction_intents_one_per_intent
    ON orchestrator.relay_transaction_intents (intent_id) WHERE active`
  yield* sql`CREATE UNIQUE INDEX relay_transaction_intents_one_per_account
    ON orchestrator.relay_transaction_intents (account) WHERE active`

  yield* sql`ALTER TABLE orchestrator.intents ADD CONSTRAINT intents_relay_transaction
    FOREIGN KEY (relay_transaction_id) REFERENCES orchestrator.relay_transactions (id)`
})
