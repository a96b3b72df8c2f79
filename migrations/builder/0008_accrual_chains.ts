/**
 * Chains of accruals that were reported without one. Entries never change, so the chain of an accrual and of its reversal
 * is in a table of its own. `builder.ledger` shows the entries with their chain.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.accrual_chains (
    sweep_id text COLLATE "C" PRIMARY KEY,
    chain_id bigint NOT NULL CHECK (chain_id > 0),
    assigned_at timestamptz NOT NULL
  )`
  yield* sql`CREATE TRIGGER accrual_chains_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.accrual_chains
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`
  yield* sql`CREATE INDEX ledger_entries_chainless ON builder.ledger_entries (token, builder_id) WHERE chain_id IS NULL`
  yield* sql`CREATE INDEX payouts_open ON builder.payouts (id) WHERE status = 'open'`

  // A batch that claims an accrual pays it on the chain of the batch.
  yield* sql`INSERT INTO builder.accrual_chains (sweep_id, chain_id, assigned_at)
    SELECT e.sweep_id, p.chain_id, p.created_at
    FROM builder.payout_claims c JOIN builder.payouts p ON p.id = c.payout_id
      JOIN builder.ledger_entries e ON e.id = c.entry_id
    WHERE NOT c.released AND e.chain_id IS NULL
    ON CONFLICT (sweep_id) DO NOTHING`

  // The first half is all of a large ledger. It is apart so that its sums need only an index.
  yield* sql`CREATE VIEW builder.ledger AS
    SELECT id, kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, payout_id, created_at
    FROM builder.ledger_entries WHERE chain_id IS NOT NULL
    UNION ALL
    SELECT e.id, e.kind, e.builder_id, coalesce(a.chain_id, p.chain_id), e.token, e.earned, e.paid, e.sweep_id, e.tx_hash,
      e.payout_id, e.created_at
    FROM builder.ledger_entries e
      LEFT JOIN builder.accrual_chains a ON a.sweep_id = e.sweep_id
      LEFT JOIN builder.payouts p ON p.id = e.payout_id
    WHERE e.chain_id IS NULL`
})
