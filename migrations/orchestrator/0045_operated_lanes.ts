/**
 * Lanes that an operator takes out of use, the transactions that move their rest away, and the record of who changed what. The release
 * before reads none of the tables: while one of its replicas runs, it may use a drained lane.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A lane without a row is active.
  yield* sql`CREATE TABLE orchestrator.lane_states (
    lane orchestrator.address PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('active', 'draining', 'retired')),
    since timestamptz NOT NULL
  )`

  // The bytes are stored before they are sent, so that a repeated request sends the same transaction again.
  yield* sql`CREATE TABLE orchestrator.lane_withdrawals (
    chain_id bigint NOT NULL,
    lane orchestrator.address NOT NULL,
    nonce bigint NOT NULL CHECK (nonce >= 0),
    recipient orchestrator.address NOT NULL,
    amount orchestrator.uint256 NOT NULL,
    hash orchestrator.hash NOT NULL,
    raw bytea NOT NULL,
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (chain_id, lane, nonce)
  )`

  yield* sql`CREATE TABLE orchestrator.operator_log (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL
  )`
  yield* sql`CREATE TRIGGER operator_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON orchestrator.operator_log
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.refuse_change()`
})
