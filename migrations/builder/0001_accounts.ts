/**
 * Builders and their credentials. Of secrets, only the SHA-256 is stored.
 *
 * Addresses and hashes are text in the form in which the service compares them: an operator can paste them from an
 * explorer, and no adapter converts them. Collation "C" compares bytewise, which is fast and the same on every machine.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE DOMAIN builder.address AS text COLLATE "C" CHECK (VALUE ~ '^0x[0-9a-fA-F]{40}$')`
  yield* sql`CREATE DOMAIN builder.hash AS text COLLATE "C" CHECK (VALUE ~ '^0x[0-9a-fA-F]{64}$')`
  yield* sql`CREATE DOMAIN builder.uint256 AS numeric(78, 0) CHECK (VALUE >= 0 AND VALUE < 2::numeric ^ 256)`
  yield* sql`CREATE FUNCTION builder.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '%.% is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME;
    END
  $$`

  yield* sql`CREATE TABLE builder.builders (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    builder_bps integer NOT NULL CHECK (builder_bps >= 0),
    max_builder_bps integer NOT NULL CHECK (max_builder_bps BETWEEN 0 AND 10000),
    payout_address builder.address NOT NULL,
    payout_mode text NOT NULL CHECK (payout_mode IN ('onchain', 'ledger')),
    suspended_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT builders_payout_address_key UNIQUE (payout_address),
    CONSTRAINT builders_within_cap CHECK (builder_bps <= max_builder_bps)
  )`

  yield* sql`CREATE TABLE builder.api_keys (
    builder_id text COLLATE "C" PRIMARY KEY REFERENCES builder.builders (id),
    hash builder.hash NOT NULL UNIQUE,
    prefix text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz
  )`

  yield* sql`CREATE TABLE builder.sessions (
    token_hash builder.hash PRIMARY KEY,
    builder_id text COLLATE "C" NOT NULL REFERENCES builder.builders (id),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`
  yield* sql`CREATE INDEX sessions_expiry ON builder.sessions (expires_at)`

  yield* sql`CREATE TABLE builder.nonces (
    nonce text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  )`
  yield* sql`CREATE INDEX nonces_expiry ON builder.nonces (expires_at)`

  yield* sql`CREATE TABLE builder.audit_log (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL
  )`
  yield* sql`CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`
})
