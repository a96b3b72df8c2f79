/**
 * {@link BridgeFlights} in PostgreSQL: one row for each sweep, which counts while its intent is submitted and has not ended. Rows that
 * count no longer are deleted with the next reservation.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { UsdPrice } from "../../../domain/Fees.ts"
import {
  BridgeFlights,
  type BridgeFlightsShape,
  UNSUBMITTED_MILLIS
} from "../../../ports/orchestrator/BridgeFlights.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"

type Sql = PgClient.PgClient

/** Largest number of rows that a reservation deletes. */
const DELETED = 1_000

const least = (limit: UsdPrice, carried: bigint): bigint => (carried < limit ? limit - carried : 0n)

/** Rows that count: their sweep goes on, or is about to be submitted. */
const counting = (sql: Sql, now: number) => sql`(
  SELECT f.intent_id, f.bridge, f.value FROM orchestrator.bridge_flights f
  LEFT JOIN orchestrator.intent_states s ON s.id = f.intent_id
  WHERE CASE WHEN s.status IS NULL OR s.status = 'quoted' THEN f.reserved_at > ${timestamp(now - UNSUBMITTED_MILLIS)}
    ELSE s.status IN ('submitted', 'settled_source') END
)`

const carried = Effect.fnUntraced(function* (sql: Sql, bridge: string, now: number) {
  const [row] = yield* sql<{ readonly value: string }>`
    SELECT coalesce(sum(value), 0)::text AS value FROM ${counting(sql, now)} c WHERE c.bridge = ${text(bridge)}`
  return BigInt(row?.value ?? "0")
})

/**
 * Waits for other reservations of a bridge, so that two together do not pass the limit, and forgets rows that count no longer, except
 * those that a release holds.
 */
const alone = Effect.fnUntraced(function* (sql: Sql, bridge: string, now: number) {
  yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${text(`bridge_flights ${bridge}`)}, 0))`
  yield* sql`
    DELETE FROM orchestrator.bridge_flights f WHERE f.intent_id IN (
      SELECT o.intent_id FROM orchestrator.bridge_flights o
      WHERE o.bridge = ${text(bridge)} AND o.intent_id NOT IN (SELECT c.intent_id FROM ${counting(sql, now)} c)
      LIMIT ${DELETED} FOR UPDATE OF o SKIP LOCKED
    )`
})

/** Locks rows in the order of their ids, as every statement on several rows does, so that no two wait for each other. */
const inOrder = (sql: Sql, condition: Fragment): Fragment =>
  sql`SELECT f.intent_id, f.holders FROM orchestrator.bridge_flights f WHERE ${condition} ORDER BY f.intent_id FOR UPDATE`

/** Locks the intents first, so that it waits for a submission that is being stored, and then keeps that one's reservation. */
const releaseQuoted = (sql: Sql): BridgeFlightsShape["releaseQuoted"] =>
  Effect.fnUntraced(function* (intentIds, holder) {
    if (intentIds.length === 0) return
    const quoted = sql`
      SELECT s.id FROM orchestrator.intent_states s
      WHERE s.id = ANY(${IntentTables.ids(sql, intentIds.map(text))}) AND s.status = 'quoted'
      ORDER BY s.id FOR SHARE`
    const held = sql`f.intent_id IN (SELECT q.id FROM quoted q) AND ${text(holder)} = ANY(f.holders)`
    yield* sql`
      WITH quoted AS (${quoted}), held AS (${inOrder(sql, held)}), ended AS (
        DELETE FROM orchestrator.bridge_flights f USING held h
        WHERE f.intent_id = h.intent_id AND cardinality(h.holders) = 1
      )
      UPDATE orchestrator.bridge_flights f SET holders = array_remove(f.holders, ${text(holder)})
      FROM held h WHERE f.intent_id = h.intent_id AND cardinality(h.holders) > 1`
  }, guarded("BridgeFlights.releaseQuoted"))

const make = (sql: Sql, limit: UsdPrice): BridgeFlightsShape => ({
  releaseQuoted: releaseQuoted(sql),

  room: Effect.fnUntraced(function* (bridge) {
    return least(limit, yield* carried(sql, bridge, yield* Clock.currentTimeMillis))
  }, guarded("BridgeFlights.room")),

  reserve: Effect.fnUntraced(
    function* (flights, holder) {
      const now = yield* Clock.currentTimeMillis
      // Renewed, since another reservation would otherwise forget it before the sweep is stored.
      const renewed = (ids: ReadonlyArray<string>) => sql<{ readonly intent_id: string }>`
        WITH held AS (${inOrder(sql, sql`f.intent_id = ANY(${IntentTables.ids(sql, ids)})`)})
        UPDATE orchestrator.bridge_flights f SET reserved_at = ${timestamp(now)},
          holders = array_append(array_remove(f.holders, ${text(holder)}), ${text(holder)})
        FROM held h WHERE f.intent_id = h.intent_id RETURNING f.intent_id`
      // In one order everywhere, so that no two reservations wait for each other.
      const byBridge = Map.groupBy(flights, ({ bridge }) => bridge)
      const bridges = [...byBridge].toSorted(([a], [b]) => (a < b ? -1 : 1))
      for (const [bridge] of bridges) yield* alone(sql, bridge, now)
      const kept = new Set((yield* renewed(flights.map(({ id }) => id))).map(({ intent_id }) => intent_id))
      const added = flights.filter(({ id }) => !kept.has(id))
      for (const [bridge] of bridges) {
        const wanted = added.reduce((sum, flight) => (flight.bridge === bridge ? sum + flight.value : sum), 0n)
        if (wanted > 0n && wanted > least(limit, yield* carried(sql, bridge, now))) return false
      }
      for (const { bridge, id, value } of added) {
        yield* sql`
          INSERT INTO orchestrator.bridge_flights (intent_id, bridge, value, reserved_at, holders)
          VALUES (${text(id)}, ${text(bridge)}, ${String(value)}::numeric, ${timestamp(now)}, ARRAY[${text(holder)}])`
      }
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("BridgeFlights.reserve")
  )
})

/** `limit`: of each bridge, in US dollars scaled by 10^18. Requires the schema of `Migrated.layer`. */
export const layer = (limit: UsdPrice) =>
  Layer.effect(
    BridgeFlights,
    Effect.map(PgClient.PgClient, (sql) => make(sql, limit))
  )
