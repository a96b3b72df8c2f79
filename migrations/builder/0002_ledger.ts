/**
 * The ledger. Entries are added, never changed. An entry holds changes of a builder's earnings and payments, so a
 * balance is sum(earned) - sum(paid). Sums may exceed a uint256.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The last constraint prevents a second accrual or a second reversal of a sweep.
  yield* sql`CREATE TABLE builder.ledger_entries (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL CHECK (kind IN ('accrual', 'reversal', 'payment')),
    builder_id text COLLATE "C" NOT NULL,
    chain_id bigint CHECK (chain_id > 0),
    token builder.address NOT NULL,
    earned numeric NOT NULL CHECK (scale(earned) = 0),
    paid numeric NOT NULL CHECK (scale(paid) = 0),
    sweep_id text COLLATE "C",
    tx_hash builder.hash,
    payout_id text COLLATE "C",
    created_at timestamptz NOT NULL,
    CONSTRAINT ledger_entries_builder FOREIGN KEY (builder_id) REFERENCES builder.builders (id),
    CONSTRAINT ledger_entries_accrual CHECK (kind <> 'accrual' OR (
      sweep_id IS NOT NULL AND payout_id IS NULL AND earned >= 0 AND earned < 2::numeric ^ 256
      AND paid = CASE WHEN tx_hash IS NULL THEN 0 ELSE earned END)),
    CONSTRAINT ledger_entries_reversal CHECK (kind <> 'reversal' OR (
      sweep_id IS NOT NULL AND payout_id IS NULL AND earned <= 0 AND paid IN (0, earned))),
    CONSTRAINT ledger_entries_payment CHECK (kind <> 'payment' OR (
      sweep_id IS NULL AND payout_id IS NOT NULL AND tx_hash IS NOT NULL AND earned = 0 AND paid <> 0)),
    CONSTRAINT ledger_entries_sweep UNIQUE (sweep_id, kind)
  )`
  // A batch pays a builder once per chain of its entries, with entries without a chain as one more.
  yield* sql`CREATE UNIQUE INDEX ledger_entries_payment_once ON builder.ledger_entries (payout_id, builder_id, chain_id)
    NULLS NOT DISTINCT WHERE kind = 'payment'`
  // Sums per builder without reading the table.
  yield* sql`CREATE INDEX ledger_entries_totals ON builder.ledger_entries (builder_id, token, chain_id)
    INCLUDE (earned, paid)`
  yield* sql`CREATE INDEX ledger_entries_activity ON builder.ledger_entries (builder_id, id) WHERE kind = 'accrual'`
  // Entries that a payout can claim.
  yield* sql`CREATE INDEX ledger_entries_owing ON builder.ledger_entries (token, chain_id, builder_id)
    WHERE kind <> 'payment' AND earned <> paid`
  yield* sql`CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`
})
