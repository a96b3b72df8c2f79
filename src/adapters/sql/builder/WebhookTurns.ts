/**
 * Claims of webhook deliveries, in the turns of {@link Webhooks.claim}.
 *
 * A claim reads the first due rows of each endpoint by an index, as many as the endpoint has places for, so its cost does not grow with the
 * length of a queue. It locks only the rows that it leases, and checks them again under their locks. Claims at the same time choose from the
 * same rows and skip those that another one has taken, so together they take no more than one of them could.
 */
import { Clock, Effect } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { FAILING_WAIT_MILLIS, PER_FAILING_ENDPOINT } from "../../../domain/Webhook.ts"
import type { FreePlaces, Webhooks } from "../../../ports/builder/Webhooks.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text } from "../shared/Database.ts"
import type { UnreadableDeliveries } from "./UnreadableDeliveries.ts"

/** Endpoint of a row, found by its id. Without the limit, a plan may read all endpoints in their order for a few rows. */
export const endpointOf = (sql: SqlClient.SqlClient, id: string) =>
  sql`LATERAL (SELECT * FROM builder.webhook_endpoints WHERE id = ${sql.literal(id)} LIMIT 1)`

/**
 * A CTE of the endpoints with pending deliveries of a kind, `is_held` or `NOT is_held`: one search of an index for each, regardless of the
 * number of other endpoints and of deliveries.
 */
export const endpointsWith = (sql: SqlClient.SqlClient, name: string, kind: Fragment) => {
  const table = sql.literal(name)
  const first = (after: Fragment) => sql`(SELECT endpoint_id FROM builder.webhook_deliveries
    WHERE state = 'pending' AND ${kind} ${after} ORDER BY endpoint_id, due_at, id LIMIT 1)`
  return sql`
  ${table} AS (
    SELECT ${first(sql``)} AS id
    UNION ALL SELECT ${first(sql`AND endpoint_id > ${table}.id`)} FROM ${table} WHERE ${table}.id IS NOT NULL
  )`
}

/** A CTE of the endpoints with deliveries that wait to be sent. */
export const waiting = (sql: SqlClient.SqlClient) => endpointsWith(sql, "waiting", sql`NOT is_held`)

/** Leased deliveries of each endpoint, and places of each builder. */
const held = (sql: SqlClient.SqlClient, at: Fragment, open: ReadonlyMap<string, number>) => sql`
  leased AS MATERIALIZED (
    SELECT endpoint_id, count(*) AS places FROM builder.webhook_deliveries
    WHERE state = 'pending' AND lease_until > ${at} GROUP BY endpoint_id
  ), held AS MATERIALIZED (
    SELECT builder_id, max(places) AS places FROM (
      SELECT e.builder_id, sum(l.places)::bigint AS places
      FROM leased l CROSS JOIN ${endpointOf(sql, "l.endpoint_id")} e GROUP BY e.builder_id
      UNION ALL
      SELECT * FROM unnest(${[...open.keys()].map(text)}::text[], ${[...open.values()]}::bigint[])
    ) AS counted GROUP BY builder_id
  )`

/** True for a delivery that no process holds, whose time has come, and whose endpoint was not disabled when it was last looked at. */
export const isDue = (sql: SqlClient.SqlClient, at: Date | Fragment) =>
  sql`state = 'pending' AND NOT is_held AND due_at <= ${at} AND (lease_until IS NULL OR lease_until <= ${at})`

/** Due deliveries that could be leased, each with its turn. Those of one class, healthy or failing, have positions. */
const turns = (sql: SqlClient.SqlClient, at: Fragment, { perBuilder, perEndpoint }: FreePlaces) => sql`
  due AS (
    SELECT d.id, e.builder_id, e.failing_since IS NOT NULL AS is_failing, w.since,
      e.failing_since IS NOT NULL AND w.since > ${at} - ${FAILING_WAIT_MILLIS}::double precision * interval '1 millisecond' AS stands_behind
    FROM waiting CROSS JOIN ${endpointOf(sql, "waiting.id")} e LEFT JOIN leased l ON l.endpoint_id = e.id
      CROSS JOIN LATERAL (
        SELECT id, due_at FROM builder.webhook_deliveries WHERE endpoint_id = e.id AND ${isDue(sql, at)}
        ORDER BY due_at, id
        LIMIT greatest(0, CASE WHEN e.failing_since IS NULL THEN ${perEndpoint}::bigint ELSE ${PER_FAILING_ENDPOINT}::bigint END
          - coalesce(l.places, 0))
      ) d
      CROSS JOIN LATERAL (SELECT greatest(d.due_at, e.last_failure_at) AS since) w
    WHERE e.disabled_reason IS NULL
  ), turns AS (
    SELECT due.*, coalesce(h.places, 0)
        + row_number() OVER (PARTITION BY due.builder_id ORDER BY stands_behind, since, id) AS turn
    FROM due LEFT JOIN held h ON h.builder_id = due.builder_id
  ), candidates AS (
    SELECT id, is_failing, stands_behind, turn, since,
      row_number() OVER (PARTITION BY is_failing ORDER BY stands_behind, turn, since, id) AS position
    FROM turns WHERE turn <= ${perBuilder}::bigint
  )`

export const claim = (
  sql: SqlClient.SqlClient,
  { decode }: UnreadableDeliveries["Service"]
): Webhooks["Service"]["claim"] =>
  Effect.fn("Webhooks.claim")(function* (places) {
    const { failingLimit, leaseMillis, limit, open = new Map<string, number>() } = places
    const millis = yield* Clock.currentTimeMillis
    const at = yield* boundedTime(sql, millis)
    const leasedUntil = yield* boundedTime(sql, millis + leaseMillis)
    const rows = yield* sql<{ readonly id: bigint }>`
      WITH RECURSIVE ${waiting(sql)}, ${held(sql, at, open)}, ${turns(sql, at, places)}, chosen AS (
        SELECT c.* FROM (
          SELECT * FROM candidates WHERE NOT is_failing OR position <= ${failingLimit}::bigint
          ORDER BY stands_behind, turn, since, id LIMIT ${2 * limit}::bigint
        ) c CROSS JOIN LATERAL (
          SELECT id FROM builder.webhook_deliveries d WHERE d.id = c.id AND ${isDue(sql, at)} FOR UPDATE SKIP LOCKED
        ) d
        ORDER BY stands_behind, turn, since, c.id LIMIT ${limit}::bigint
      ), taken AS (
        UPDATE builder.webhook_deliveries d SET lease_until = ${leasedUntil}
        FROM chosen WHERE d.id = chosen.id
        RETURNING d.id, d.endpoint_id, d.message_id, d.type, d.payload, d.failures
      )
      SELECT taken.*, chosen.is_failing, e.builder_id, e.url, e.secret, e.secret_sealed,
        CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret END AS previous_secret,
        CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret_sealed END AS previous_secret_sealed
      FROM taken JOIN chosen USING (id) CROSS JOIN ${endpointOf(sql, "taken.endpoint_id")} e
      ORDER BY chosen.stands_behind, chosen.turn, chosen.since, taken.id`
    return yield* decode(rows)
  }, guarded("Webhooks.claim"))
