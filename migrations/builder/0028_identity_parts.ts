/**
 * Compares the identity of the database part by part. A part that the role may not read is `-`, and differs from no other: the role may be
 * given the right, or lose it, on the same database. `is_unreconciled` notes parts that it could not read before, since a `-` hides a
 * change of its part.
 *
 * The release before calls `is_unreconciled` in the same way. Its reconciliation compares whole identities, so it asks for `--since` if a
 * part is no longer readable.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE FUNCTION builder.is_other_database(noted text, seen text) RETURNS boolean
    LANGUAGE sql IMMUTABLE AS $$
      SELECT EXISTS (
        SELECT FROM generate_series(1, 3) AS part
        WHERE split_part(noted, '/', part) <> split_part(seen, '/', part)
          AND '-' NOT IN (split_part(noted, '/', part), split_part(seen, '/', part))
      )
    $$`
  yield* sql`CREATE FUNCTION builder.fuller_identity(noted text, seen text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN builder.is_other_database(noted, seen) THEN seen ELSE (
      SELECT string_agg(coalesce(nullif(split_part(seen, '/', part), '-'), split_part(noted, '/', part)), '/' ORDER BY part)
      FROM generate_series(1, 3) AS part
    ) END
  $$`

  // Callers do not wait for one another. A session that may not write, such as one on a replica, notes nothing.
  yield* sql`CREATE OR REPLACE FUNCTION builder.is_unreconciled() RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
      noted text := (SELECT identity FROM builder.database_identity);
      seen text := builder.current_identity();
    BEGIN
      IF builder.is_other_database(noted, seen) THEN
        RETURN true;
      END IF;
      IF builder.fuller_identity(noted, seen) <> noted AND current_setting('transaction_read_only') = 'off'
        AND has_table_privilege('builder.database_identity', 'UPDATE') THEN
        UPDATE builder.database_identity SET identity = builder.fuller_identity(noted, seen)
        WHERE identity = noted AND id IN (SELECT id FROM builder.database_identity FOR UPDATE SKIP LOCKED);
      END IF;
      RETURN EXISTS (SELECT FROM builder.restores WHERE reconciled_at IS NULL);
    END
  $$`
})
