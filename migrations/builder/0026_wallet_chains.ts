/**
 * Chain of a builder's contract wallet. Null for a wallet that signs with a key, and until a contract wallet signs in.
 *
 * The release before neither reads nor writes the column. It accepts contract wallets on every served chain, as long as it runs.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE builder.builders ADD COLUMN wallet_chain_id bigint CHECK (wallet_chain_id > 0)`
})
