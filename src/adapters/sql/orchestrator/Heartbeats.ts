/** {@link Heartbeats} in PostgreSQL: one row for each post. Ages are by the database's clock, since those of processes may differ. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { nameOf } from "../../../domain/Role.ts"
import { Heartbeats } from "../../../ports/orchestrator/Heartbeats.ts"
import { guarded } from "../shared/Database.ts"

type Sql = PgClient.PgClient
type Shape = Heartbeats["Service"]

const beat = (sql: Sql): Shape["beat"] =>
  Effect.fnUntraced(function* (posts) {
    // In one order, so that processes that beat at the same time wait for each other and never in a circle.
    const names = posts.map(nameOf).toSorted()
    yield* sql`
      INSERT INTO orchestrator.role_heartbeats (post, beaten_at)
      SELECT post, clock_timestamp() FROM unnest(${names}::text[]) AS post ORDER BY post
      ON CONFLICT (post) DO UPDATE SET beaten_at = excluded.beaten_at`
  }, guarded("Heartbeats.beat"))

const ages = (sql: Sql): Shape["ages"] =>
  Effect.gen(function* () {
    const rows = yield* sql<{ post: string; millis: number }>`
      SELECT post, (extract(epoch FROM clock_timestamp() - beaten_at) * 1000)::float8 AS millis
      FROM orchestrator.role_heartbeats`
    return new Map(rows.map(({ millis, post }) => [post, millis]))
  }).pipe(guarded("Heartbeats.ages"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  Heartbeats,
  Effect.map(PgClient.PgClient, (sql) => ({ beat: beat(sql), ages: ages(sql) }))
)
