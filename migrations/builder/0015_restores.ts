/**
 * Restores of the database to an earlier moment, and what is found on the chains afterwards. Payouts are refused until a restore
 * is reconciled.
 *
 * A restore shows by a row of `restores`, or by the identity of the database: a dump comes into another database, and a recovery to
 * a point in time, or a failover, begins another timeline of the write-ahead log.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Managed servers may refuse the functions. The rest of the identity still counts.
  yield* sql`CREATE FUNCTION builder.current_identity() RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      cluster text := '-';
      timeline text := '-';
    BEGIN
      BEGIN
        SELECT system_identifier::text INTO cluster FROM pg_control_system();
      EXCEPTION WHEN OTHERS THEN
        cluster := '-';
      END;
      BEGIN
        timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
      EXCEPTION WHEN OTHERS THEN
        timeline := '-';
      END;
      RETURN cluster || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || timeline;
    END
  $$`
  yield* sql`CREATE TABLE builder.database_identity (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    identity text NOT NULL
  )`
  yield* sql`INSERT INTO builder.database_identity (identity) VALUES (builder.current_identity())`

  yield* sql`CREATE TABLE builder.restores (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    restored_to timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    reconciled_at timestamptz,
    CONSTRAINT restores_order CHECK (reconciled_at >= recorded_at)
  )`

  yield* sql`CREATE FUNCTION builder.is_unreconciled() RETURNS boolean LANGUAGE sql AS $$
    SELECT EXISTS (SELECT FROM builder.restores WHERE reconciled_at IS NULL)
      OR EXISTS (SELECT FROM builder.database_identity WHERE identity <> builder.current_identity())
  $$`

  // Fees of settlements whose builder the chain does not show. One is assigned when the ledger has an accrual of its sweep.
  yield* sql`CREATE TABLE builder.unassigned_accruals (
    sweep_id text COLLATE "C" PRIMARY KEY,
    chain_id bigint NOT NULL CHECK (chain_id > 0),
    token builder.address NOT NULL,
    amount builder.uint256 NOT NULL,
    recipient builder.address NOT NULL,
    paid boolean NOT NULL,
    tx_hash builder.hash NOT NULL,
    settled_at timestamptz NOT NULL,
    found_at timestamptz NOT NULL
  )`

  // Transfers out of a vault that no batch explains, and for which the operator gave a reason.
  yield* sql`CREATE TABLE builder.explained_payments (
    chain_id bigint NOT NULL CHECK (chain_id > 0),
    tx_hash builder.hash NOT NULL,
    token builder.address NOT NULL,
    reason text NOT NULL,
    explained_at timestamptz NOT NULL,
    PRIMARY KEY (chain_id, tx_hash, token)
  )`
  for (const table of ["unassigned_accruals", "explained_payments"]) {
    yield* sql`CREATE TRIGGER ${sql(`${table}_append_only`)} BEFORE UPDATE OR DELETE OR TRUNCATE ON ${sql(`builder.${table}`)}
      FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`
  }
})
