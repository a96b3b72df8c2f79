/**
 * Signed payments of batches, stored before they are sent, so that after a crash the next run finds those that may have
 * been sent.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.payout_payments (
    payout_id text COLLATE "C" NOT NULL REFERENCES builder.payouts (id),
    attempt integer NOT NULL CHECK (attempt >= 0),
    tx_hash builder.hash NOT NULL UNIQUE,
    raw text COLLATE "C" NOT NULL,
    deadline bigint NOT NULL CHECK (deadline > 0),
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (payout_id, attempt)
  )`
  yield* sql`CREATE TRIGGER payout_payments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.payout_payments
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`
})
