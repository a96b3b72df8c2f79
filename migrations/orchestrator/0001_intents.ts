/**
 * Intents and their history.
 *
 * Signed and quoted documents are stored as they are (`"order"`, `quote`, `submission`: jsonb in wire encoding), so
 * that one indexed read answers `GET /intents/:id`, and nothing can drift from what was signed. Columns that queries
 * and constraints need are generated from them by the database.
 *
 * Addresses and hashes are text in the form in which the service compares them: an operator can paste them from an
 * explorer, and no adapter converts them. Collation "C" compares bytewise, which is fast and the same on every machine.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE DOMAIN orchestrator.address AS text COLLATE "C" CHECK (VALUE ~ '^0x[0-9a-fA-F]{40}$')`
  yield* sql`CREATE DOMAIN orchestrator.hash AS text COLLATE "C" CHECK (VALUE ~ '^0x[0-9a-fA-F]{64}$')`
  yield* sql`CREATE DOMAIN orchestrator.uint256 AS numeric(78, 0) CHECK (VALUE >= 0 AND VALUE < 2::numeric ^ 256)`

  yield* sql`CREATE TABLE orchestrator.intents (
    id text COLLATE "C" PRIMARY KEY,
    quote jsonb NOT NULL,
    "order" jsonb NOT NULL,
    order_digest orchestrator.hash NOT NULL,
    quoted_at_block bigint NOT NULL,
    gas bigint NOT NULL,
    user_id text NOT NULL,
    builder_id text,
    payout_mode text CHECK (payout_mode IN ('onchain', 'ledger')),
    source_chain_id bigint NOT NULL GENERATED ALWAYS AS ((quote ->> 'sourceChainId')::bigint) STORED,
    owner orchestrator.address NOT NULL GENERATED ALWAYS AS ("order" ->> 'owner') STORED,
    account text COLLATE "C" NOT NULL
      GENERATED ALWAYS AS ((quote ->> 'sourceChainId') || ':' || ("order" ->> 'owner')) STORED,
    order_nonce orchestrator.uint256 NOT NULL GENERATED ALWAYS AS (("order" ->> 'nonce')::numeric) STORED,
    status text NOT NULL DEFAULT 'quoted'
      CHECK (status IN ('quoted', 'submitted', 'settled_source', 'delivered', 'failed')),
    submission jsonb,
    submitted_at timestamptz,
    tx_hash orchestrator.hash,
    delivery_tx_hash orchestrator.hash,
    failure_reason text,
    failure_detail text,
    lease_worker text,
    lease_until timestamptz,
    not_before timestamptz,
    relay_transaction_id bigint,
    queued boolean NOT NULL GENERATED ALWAYS AS (status = 'submitted' AND relay_transaction_id IS NULL) STORED,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT intents_quote_id CHECK (quote ->> 'id' = id),
    CONSTRAINT intents_order_digest_key UNIQUE (order_digest),
    CONSTRAINT intents_order_nonce_key UNIQUE (source_chain_id, owner, order_nonce),
    CONSTRAINT intents_attribution CHECK ((builder_id IS NULL) = (payout_mode IS NULL)),
    CONSTRAINT intents_submission
      CHECK ((status = 'quoted') = (submission IS NULL) AND (status = 'quoted') = (submitted_at IS NULL)),
    CONSTRAINT intents_failure CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CONSTRAINT intents_delivery CHECK ((status = 'delivered') = (delivery_tx_hash IS NOT NULL)),
    CONSTRAINT intents_settlement CHECK (status NOT IN ('settled_source', 'delivered') OR tx_hash IS NOT NULL)
  )`
  // The relayer's queue. It stays small while the history grows.
  yield* sql`CREATE INDEX intents_claimable ON orchestrator.intents (source_chain_id, submitted_at, id)
    WHERE status = 'submitted' AND relay_transaction_id IS NULL`
  // Finds an owner's other queued intents. Its condition differs in form from that of the queue, so that a planner with
  // outdated statistics cannot scan it from end to end instead of the queue.
  yield* sql`CREATE INDEX intents_queued_by_account ON orchestrator.intents (account) WHERE queued`
  // Intents that the watcher follows.
  yield* sql`CREATE INDEX intents_unfinished ON orchestrator.intents (source_chain_id, status, created_at, id)
    WHERE status IN ('submitted', 'settled_source')`
  yield* sql`CREATE INDEX intents_status ON orchestrator.intents (status)`

  yield* sql`CREATE TABLE orchestrator.intent_events (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    intent_id text COLLATE "C" NOT NULL REFERENCES orchestrator.intents (id),
    event text NOT NULL CHECK (event IN ('Submitted', 'SettledAtSource', 'Delivered', 'Failed')),
    status text NOT NULL CHECK (status IN ('submitted', 'settled_source', 'delivered', 'failed')),
    tx_hash orchestrator.hash,
    reason text,
    detail text,
    at timestamptz NOT NULL
  )`
  yield* sql`CREATE INDEX intent_events_intent ON orchestrator.intent_events (intent_id, id)`
  yield* sql`CREATE FUNCTION orchestrator.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '%.% is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME;
    END
  $$`
  yield* sql`CREATE TRIGGER intent_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON orchestrator.intent_events
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.refuse_change()`

  yield* sql`CREATE TABLE orchestrator.owner_nonces (
    chain_id bigint NOT NULL,
    owner orchestrator.address NOT NULL,
    next_nonce orchestrator.uint256 NOT NULL,
    PRIMARY KEY (chain_id, owner)
  )`
})
