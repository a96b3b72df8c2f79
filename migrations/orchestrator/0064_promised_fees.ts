/** Fees that quoted orders promise in tokens that only thin pools sell. The release before neither writes nor reads the table. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.promised_fees (
    chain_id bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    nonce numeric(78, 0) NOT NULL,
    token text COLLATE "C" NOT NULL,
    amount numeric(78, 0) NOT NULL CHECK (amount >= 0),
    until timestamptz NOT NULL,
    PRIMARY KEY (chain_id, owner, nonce)
  )`
  yield* sql`CREATE INDEX promised_fees_tokens ON orchestrator.promised_fees (chain_id, token)`
  yield* sql`CREATE INDEX promised_fees_ends ON orchestrator.promised_fees (until)`
})
