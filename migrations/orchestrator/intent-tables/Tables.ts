/** Tables of migration 16. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Tables that grow with the number of sweeps. */
const large = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Checks of domains are parsed once in a session, checks of tables in every statement.
  yield* sql`CREATE DOMAIN orchestrator.word AS bytea CHECK (octet_length(VALUE) = 32)`
  yield* sql`CREATE DOMAIN orchestrator.intent_status AS text COLLATE "C"
    CHECK (VALUE IN ('quoted', 'submitted', 'settled_source', 'delivered', 'failed'))`
  yield* sql`CREATE DOMAIN orchestrator.payout_mode AS text COLLATE "C" CHECK (VALUE IN ('onchain', 'ledger'))`
  yield* sql`CREATE SEQUENCE orchestrator.intent_numbers`
  yield* sql`CREATE SEQUENCE orchestrator.intent_history_ids`
  yield* sql`CREATE FUNCTION orchestrator.first_number(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT floor(extract(epoch FROM at))::bigint << 24 $$`

  yield* sql`CREATE TABLE orchestrator.intent_states (
    number bigint NOT NULL,
    source_chain_id bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    submitted_at timestamptz,
    relay_transaction_id bigint,
    burned_at timestamptz,
    id text COLLATE "C" PRIMARY KEY,
    owner orchestrator.address NOT NULL,
    order_nonce orchestrator.uint256 NOT NULL,
    order_digest orchestrator.word NOT NULL,
    dest_chain_id orchestrator.uint256 NOT NULL,
    deadline orchestrator.uint256 NOT NULL,
    builder_id text,
    status orchestrator.intent_status NOT NULL DEFAULT 'quoted',
    tx_hash orchestrator.word,
    delivery_tx_hash orchestrator.word,
    failure_reason text,
    failure_detail text,
    searches jsonb,
    CONSTRAINT intent_states_order_digest_key UNIQUE (order_digest),
    CONSTRAINT intent_states_order_nonce_key UNIQUE (source_chain_id, owner, order_nonce),
    CONSTRAINT intent_states_status CHECK (
      (status = 'quoted') = (submitted_at IS NULL)
      AND (status = 'failed') = (failure_reason IS NOT NULL)
      AND (delivery_tx_hash IS NULL OR status = 'delivered')
      AND (tx_hash IS NOT NULL OR status <> 'settled_source' AND status <> 'delivered')
    )
  ) WITH (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02)`
  // Failures at the relayer's cost. A successful sweep never has the time, so its updates do not change these indexes.
  yield* sql`CREATE INDEX intent_states_burned_by_owner ON orchestrator.intent_states (owner, burned_at)
    WHERE burned_at IS NOT NULL`
  yield* sql`CREATE INDEX intent_states_burned_by_builder ON orchestrator.intent_states (builder_id, burned_at)
    WHERE burned_at IS NOT NULL`

  // The columns of the order are null if the row cannot be read, and so are these two by design: no builder means the zero
  // address, and no destination means the owner. The quote lacks what the state has.
  yield* sql`CREATE TABLE orchestrator.intent_terms (
    number bigint PRIMARY KEY,
    quoted_at_block bigint NOT NULL,
    gas bigint NOT NULL,
    token_in orchestrator.address,
    amount_in orchestrator.uint256,
    fee_amount orchestrator.uint256,
    builder orchestrator.address,
    builder_fee orchestrator.uint256,
    token_out orchestrator.address,
    min_amount_out orchestrator.uint256,
    destination orchestrator.address,
    swap_target orchestrator.address,
    swap_calldata bytea,
    user_id text NOT NULL,
    payout_mode orchestrator.payout_mode,
    quote jsonb NOT NULL
  ) PARTITION BY RANGE (number)`
  yield* sql`CREATE TABLE orchestrator.intent_signatures (
    number bigint PRIMARY KEY,
    authorization_chain_id bigint,
    authorization_nonce numeric(20, 0),
    y_parity smallint,
    delegate bytea,
    r bytea,
    s bytea,
    signature bytea
  ) PARTITION BY RANGE (number)`
  yield* sql`CREATE TABLE orchestrator.intent_history (
    number bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('orchestrator.intent_history_ids'),
    at timestamptz NOT NULL,
    status orchestrator.intent_status NOT NULL,
    tx_hash orchestrator.word,
    reason text,
    detail text
  ) PARTITION BY RANGE (number)`
  yield* sql`CREATE INDEX intent_history_number ON orchestrator.intent_history (number)`
})

/** Tables whose rows are added and soon deleted. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shortLived = sql.literal("autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000")

  yield* sql`CREATE TABLE orchestrator.open_quotes (
    number bigint PRIMARY KEY,
    intent_id text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL
  ) WITH (${shortLived})`
  yield* sql`CREATE TABLE orchestrator.intent_queue (
    intent_id text COLLATE "C" PRIMARY KEY,
    source_chain_id bigint NOT NULL,
    account text COLLATE "C" NOT NULL,
    submitted_at timestamptz NOT NULL,
    deadline orchestrator.uint256 NOT NULL,
    lease_worker text,
    lease_until timestamptz,
    not_before timestamptz
  ) WITH (fillfactor = 50, ${shortLived})`
  yield* sql`CREATE INDEX intent_queue_oldest ON orchestrator.intent_queue (source_chain_id, submitted_at, intent_id)`
  yield* sql`CREATE INDEX intent_queue_account ON orchestrator.intent_queue (account)`
  yield* sql`CREATE INDEX intent_queue_deadline ON orchestrator.intent_queue (source_chain_id, deadline)`
  yield* sql`CREATE TABLE orchestrator.intent_deliveries (
    intent_id text COLLATE "C" PRIMARY KEY,
    source_chain_id bigint NOT NULL,
    dest_chain_id orchestrator.uint256 NOT NULL,
    delivered boolean NOT NULL,
    since timestamptz NOT NULL,
    look_at timestamptz NOT NULL,
    looks integer NOT NULL DEFAULT 0
  ) WITH (${shortLived})`
  yield* sql`CREATE INDEX intent_deliveries_due
    ON orchestrator.intent_deliveries (source_chain_id, dest_chain_id, delivered, look_at, intent_id)`
  // Changes of counts, one row for each status and statement.
  yield* sql`CREATE TABLE orchestrator.intent_count_parts (
    status text NOT NULL,
    intents bigint NOT NULL
  ) WITH (${shortLived})`
})

const partitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  for (const table of ["intent_terms", "intent_signatures", "intent_history"]) {
    // Stays empty as long as the partitions of the coming months exist.
    yield* sql`CREATE TABLE ${sql(`orchestrator.${table}_default`)} PARTITION OF ${sql(`orchestrator.${table}`)} DEFAULT`
  }
  // A new partition is attached, since this does not lock the table against reads and writes. Returns the number of new ones.
  yield* sql`CREATE FUNCTION orchestrator.add_intent_partitions(since timestamptz, until timestamptz) RETURNS integer
    LANGUAGE plpgsql AS $$
    DECLARE
      month timestamp;
      part text;
      parent text;
      low bigint;
      high bigint;
      added integer := 0;
    BEGIN
      FOR month IN SELECT generate_series(
        date_trunc('month', since AT TIME ZONE 'UTC'), date_trunc('month', until AT TIME ZONE 'UTC'), '1 month')
      LOOP
        low := orchestrator.first_number(month AT TIME ZONE 'UTC');
        high := orchestrator.first_number((month + interval '1 month') AT TIME ZONE 'UTC');
        FOREACH parent IN ARRAY ARRAY['intent_terms', 'intent_signatures', 'intent_history'] LOOP
          part := parent || to_char(month, '_YYYY_MM');
          IF to_regclass('orchestrator.' || part) IS NULL THEN
            EXECUTE format('CREATE TABLE orchestrator.%I (LIKE orchestrator.%I INCLUDING ALL)', part, parent);
            EXECUTE format('ALTER TABLE orchestrator.%I ATTACH PARTITION orchestrator.%I FOR VALUES FROM (%s) TO (%s)',
              parent, part, low, high);
            added := added + 1;
          END IF;
        END LOOP;
      END LOOP;
      RETURN added;
    END
  $$`
  // For operators: detaches the partitions of a month. The sweeps are unknown from then on; their ids, digests and order
  // nonces stay taken.
  yield* sql`CREATE FUNCTION orchestrator.detach_intent_month(month date) RETURNS text[] LANGUAGE plpgsql AS $$
    DECLARE
      start timestamp := date_trunc('month', month::timestamp);
      low bigint := orchestrator.first_number(start AT TIME ZONE 'UTC');
      high bigint := orchestrator.first_number((start + interval '1 month') AT TIME ZONE 'UTC');
      open text;
      part text;
      parent text;
      detached text[] := '{}';
    BEGIN
      SELECT s.id INTO open FROM orchestrator.intent_states s
      WHERE s.number >= low AND s.number < high AND s.id IN (
        SELECT intent_id FROM orchestrator.open_quotes WHERE number >= low AND number < high
        UNION ALL SELECT intent_id FROM orchestrator.intent_queue
        UNION ALL SELECT intent_id FROM orchestrator.intent_deliveries WHERE NOT delivered
        UNION ALL SELECT intent_id FROM orchestrator.relay_transaction_intents WHERE active
      ) LIMIT 1;
      IF open IS NOT NULL THEN
        RAISE EXCEPTION 'intent % of this month has not ended', open;
      END IF;
      FOREACH parent IN ARRAY ARRAY['intent_terms', 'intent_signatures', 'intent_history'] LOOP
        part := parent || to_char(start, '_YYYY_MM');
        EXECUTE format('ALTER TABLE orchestrator.%I DETACH PARTITION orchestrator.%I', parent, part);
        detached := detached || ('orchestrator.' || part);
      END LOOP;
      RETURN detached;
    END
  $$`
})

/** Tables of intents and of what waits, and the functions that add and detach their months. */
export const tables = Effect.gen(function* () {
  yield* large
  yield* waiting
  yield* partitions
})
