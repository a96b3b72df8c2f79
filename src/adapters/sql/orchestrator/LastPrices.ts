/** {@link LastPrices} in PostgreSQL: one row for each listed token. A row that lies in the future gives way to any price. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as Address from "../../../domain/Address.ts"
import { LastPrices } from "../../../ports/orchestrator/LastPrices.ts"
import { guarded, timestamp } from "../shared/Database.ts"

type Sql = PgClient.PgClient
type Shape = LastPrices["Service"]

const read = (sql: Sql): Shape["read"] =>
  Effect.fnUntraced(function* (chainId) {
    const rows = yield* sql<{ token: string; price: string; good_at: Date }>`
      SELECT token, price::text AS price, good_at FROM orchestrator.last_prices WHERE chain_id = ${chainId}`
    return new Map(
      rows.map((row) => [Address.stored(row.token), { price: BigInt(row.price), atMs: row.good_at.getTime() }])
    )
  }, guarded("LastPrices.read"))

const keep = (sql: Sql): Shape["keep"] =>
  Effect.fnUntraced(function* (chainId, token, { atMs, price }) {
    yield* sql`
      INSERT INTO orchestrator.last_prices AS l (chain_id, token, price, good_at)
      VALUES (${chainId}, ${token}, ${String(price)}::numeric, ${timestamp(atMs)})
      ON CONFLICT (chain_id, token) DO UPDATE SET price = excluded.price, good_at = excluded.good_at
      WHERE l.good_at < excluded.good_at OR l.good_at > now() + interval '1 minute'`
  }, guarded("LastPrices.keep"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  LastPrices,
  Effect.map(PgClient.PgClient, (sql) => ({ read: read(sql), keep: keep(sql) }))
)
