/**
 * Encrypted secrets of webhooks, beside the readable ones. A secret is in one of the two columns. Without SECRETS_KEY all stay in the old
 * one. The release before cannot read encrypted secrets: it sets their messages aside and sends them later. So the key is set after every
 * replica runs this release.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE builder.webhook_endpoints
    ADD COLUMN secret_sealed text,
    ADD COLUMN previous_secret_sealed text,
    ALTER COLUMN secret DROP NOT NULL,
    DROP CONSTRAINT webhook_endpoints_rotation,
    ADD CONSTRAINT webhook_endpoints_secret CHECK (num_nonnulls(secret, secret_sealed) = 1),
    ADD CONSTRAINT webhook_endpoints_rotation CHECK (
      num_nonnulls(previous_secret, previous_secret_sealed) = CASE WHEN previous_secret_until IS NULL THEN 0 ELSE 1 END
    )`
})
