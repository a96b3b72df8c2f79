/** Last good prices of listed tokens, so that a restart does not forget them. The release before does not use the table. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.last_prices (
    chain_id bigint NOT NULL,
    token orchestrator.address NOT NULL,
    price numeric NOT NULL CHECK (price > 0),
    good_at timestamptz NOT NULL,
    PRIMARY KEY (chain_id, token)
  )`
})
