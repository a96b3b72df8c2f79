/**
 * A reversal without a value takes back that of its accrual. The release before does not know values, and its reversals would leave them
 * among the earnings.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE FUNCTION builder.value_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.usd := (SELECT -usd FROM builder.ledger_entries WHERE sweep_id = NEW.sweep_id AND kind = 'accrual');
      RETURN NEW;
    END
  $$`
  yield* sql`CREATE TRIGGER ledger_entries_valued BEFORE INSERT ON builder.ledger_entries
    FOR EACH ROW WHEN (NEW.kind = 'reversal' AND NEW.usd IS NULL) EXECUTE FUNCTION builder.value_reversal()`
})
