/**
 * Exposure in PostgreSQL: a row for each reservation, and sums by class and step that the same statements keep. The column `hour`
 * has the start of the step. The release before has one step an hour.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  admit,
  type Budgets,
  type ExposureClass,
  type Reservation,
  sureLimit,
  type Sums
} from "../../../domain/Exposure.ts"
import { DAY_MILLIS, HOUR_MILLIS, windowStart } from "../../../domain/ExposureWindow.ts"
import { crowded, Exposures, MOST_HOLDERS } from "../../../ports/orchestrator/Exposures.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import { paid } from "./ExposurePaid.ts"
import * as IntentTables from "./IntentTables.ts"

interface SumsRow {
  readonly class: string
  readonly open: string
  readonly hour_lost: string
  readonly hour_earned: string
  readonly day_lost: string
  readonly day_earned: string
}

const toSums = (row: SumsRow): Sums => ({
  open: BigInt(row.open),
  hour: { lost: BigInt(row.hour_lost), earned: BigInt(row.hour_earned) },
  day: { lost: BigInt(row.day_lost), earned: BigInt(row.day_earned) }
})

/** Columns of a {@link SumsRow} at a UNIX time in milliseconds, grouped by class. */
const columns = (sql: PgClient.PgClient, now: number): Fragment => {
  const hour = sql`hour >= ${timestamp(windowStart(now, HOUR_MILLIS))}`
  return sql`class, sum(open)::text AS open,
    coalesce(sum(lost) FILTER (WHERE ${hour}), 0)::text AS hour_lost,
    coalesce(sum(earned) FILTER (WHERE ${hour}), 0)::text AS hour_earned,
    sum(lost)::text AS day_lost, sum(earned)::text AS day_earned`
}

/** Rows of the last 24 hours, and those of what is reserved. */
const current = (sql: PgClient.PgClient, now: number): Fragment =>
  sql`(hour = '-infinity' OR hour >= ${timestamp(windowStart(now, DAY_MILLIS))})`

const sums = (sql: PgClient.PgClient): Exposures["Service"]["sums"] =>
  Effect.fnUntraced(function* (keys) {
    if (keys.length === 0) return new Map<ExposureClass, Sums>()
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<SumsRow>`
      SELECT ${columns(sql, now)} FROM orchestrator.exposure_sums
      WHERE class = ANY(${IntentTables.ids(sql, keys.map(text))}) AND ${current(sql, now)}
      GROUP BY class`
    return new Map(rows.map((row) => [row.class, toSums(row)]))
  }, guarded("sums"))

const reserved = (sql: PgClient.PgClient): Exposures["Service"]["reserved"] =>
  Effect.fnUntraced(function* (intentIds) {
    if (intentIds.length === 0) return new Map<string, ReadonlyArray<ExposureClass>>()
    const rows = yield* sql<{ id: string; classes: ReadonlyArray<ExposureClass> }>`
      SELECT intent_id AS id, classes FROM orchestrator.exposures
      WHERE intent_id = ANY(${IntentTables.ids(sql, intentIds.map(text))})`
    return new Map(rows.map(({ classes, id }) => [id, classes]))
  }, guarded("reserved"))

/** Adds to sums in the order of their keys, so that statements that share rows wait for each other and never in a circle. */
export const add = (sql: PgClient.PgClient, changes: Fragment): Fragment => sql`
  INSERT INTO orchestrator.exposure_sums AS s (class, hour, open, lost, earned)
  SELECT class, hour, sum(open), sum(lost), sum(earned) FROM (${changes}) AS c (class, hour, open, lost, earned)
  GROUP BY class, hour ORDER BY class, hour
  ON CONFLICT (class, hour) DO UPDATE
  SET open = s.open + excluded.open, lost = s.lost + excluded.lost, earned = s.earned + excluded.earned`

/** Changes of the sums when the reservations of this query end. */
export const ended = (sql: PgClient.PgClient, name: string): Fragment =>
  sql`SELECT class, '-infinity'::timestamptz, -wei, 0::numeric, 0::numeric
    FROM ${sql(name)}, unnest(${sql(name)}.classes) AS class`

/** No unfinished transaction carries the sweep of `e`. */
const uncarried = (sql: PgClient.PgClient): Fragment => sql`NOT EXISTS (
  SELECT FROM orchestrator.relay_transaction_intents l WHERE l.intent_id = e.intent_id AND l.active
)`

/** Locks rows of reservations in one order, so that statements that share them wait for each other and never in a circle. */
const inOrder = (sql: PgClient.PgClient, condition: Fragment): Fragment =>
  sql`SELECT e.intent_id, e.holders FROM orchestrator.exposures e WHERE ${condition} ORDER BY e.intent_id FOR UPDATE`

/** Ends the reservations that `locked` selects, as far as `condition` allows, and names them `gone`. */
const gone = (sql: PgClient.PgClient, locked: Fragment, condition: Fragment = sql`true`): Fragment =>
  sql`ending AS (${locked}), gone AS (
    DELETE FROM orchestrator.exposures e USING ending WHERE e.intent_id = ending.intent_id AND ${condition}
    RETURNING e.classes, e.wei
  )`

/** Holders of a new reservation. */
const held = (holder: string | undefined): ReadonlyArray<string> => (holder === undefined ? [] : [text(holder)])

const store = (sql: PgClient.PgClient, admitted: ReadonlyArray<Reservation>, at: Date, holder: string | undefined) => {
  const rows = admitted.map(({ classes, intentId, wei }) => ({ id: intentId, wei: String(wei), classes }))
  return sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(rows)}) AS g (id text, wei numeric, classes text[])
    ), reserved AS (
      INSERT INTO orchestrator.exposures (intent_id, wei, reserved_at, classes, holders)
      SELECT id, wei, ${at}, classes, ${held(holder)}::text[] FROM given
    )
    ${add(
      sql,
      sql`SELECT class, '-infinity'::timestamptz, wei, 0::numeric, 0::numeric FROM given, unnest(given.classes) AS class`
    )}`
}

/**
 * Reserves sweeps of one class by one statement, if none of them has a reservation and the class has room for all whatever it
 * earned. Otherwise nothing is reserved, and it returns false.
 *
 * The sums are those of the statement's snapshot, and the row of hour -infinity is locked later. Everything that reserves or ends a
 * reservation changes that row, so the sums are still true if its `xmin` is that of the snapshot.
 */
const reserveAtOnce = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  key: ExposureClass,
  reservations: ReadonlyArray<Reservation>,
  budgets: Budgets,
  holder: string | undefined
) {
  const now = yield* Clock.currentTimeMillis
  const total = String(reservations.reduce((sum, { wei }) => sum + wei, 0n))
  const ids = reservations.map(({ intentId }) => text(intentId))
  const wei = reservations.map((each) => String(each.wei))
  const rows = yield* sql`
    WITH known AS (
      SELECT sum(open) + sum(lost) AS used, max(xmin::text) FILTER (WHERE hour = '-infinity') AS version
      FROM orchestrator.exposure_sums WHERE class = ${text(key)} AND ${current(sql, now)}
    ), pot AS (
      UPDATE orchestrator.exposure_sums s SET open = s.open + ${total}::numeric FROM known
      WHERE s.class = ${text(key)} AND s.hour = '-infinity' AND s.xmin::text = known.version
        AND known.used + ${total}::numeric <= ${String(sureLimit(key, budgets))}::numeric
        AND NOT EXISTS (SELECT FROM orchestrator.exposures WHERE intent_id = ANY(${IntentTables.ids(sql, ids)}))
      RETURNING s.class
    ), reserved AS (
      INSERT INTO orchestrator.exposures (intent_id, wei, reserved_at, classes, holders)
      SELECT g.id, g.wei, ${timestamp(now)}, ARRAY[pot.class], ${held(holder)}::text[]
      FROM pot, unnest(${ids}::text[], ${wei}::numeric[]) AS g (id, wei)
    )
    SELECT class FROM pot`
  return rows.length > 0
})

/** A sweep that is reserved already. */
interface Joined {
  readonly id: string
  /** It has too many holders for a further one. */
  readonly is_full: boolean
}

/**
 * Ends what the sweeps of `ids` had reserved before. For a holder, it adds it to their reservations instead, and returns those. Locks the
 * classes of `keys` until the transaction ends.
 */
const lockClasses = (
  sql: PgClient.PgClient,
  ids: ReadonlyArray<string>,
  keys: ReadonlyArray<string>,
  at: Date,
  holder: string | undefined
): Effect.Effect<ReadonlyArray<Joined>, SqlError> => {
  const locked = inOrder(sql, sql`e.intent_id = ANY(${IntentTables.ids(sql, ids)})`)
  const untouched = sql`SELECT class, '-infinity'::timestamptz, 0::numeric, 0::numeric, 0::numeric
    FROM unnest(${IntentTables.ids(sql, keys)}) AS class`
  if (holder === undefined) {
    const changes = sql`${ended(sql, "gone")} UNION ALL ${untouched}`
    return Effect.as(sql`WITH ${gone(sql, locked)} ${add(sql, changes)}`, [])
  }
  const isFull = sql`(cardinality(b.holders) >= ${MOST_HOLDERS} AND NOT ${text(holder)} = ANY(b.holders))`
  return sql<Joined>`
    WITH before AS (${locked}), joined AS (
      UPDATE orchestrator.exposures e SET reserved_at = ${at},
        holders = array_append(array_remove(b.holders, ${text(holder)}), ${text(holder)})
      FROM before b WHERE e.intent_id = b.intent_id AND b.holders <> '{}' AND NOT ${isFull}
    ), classes AS (${add(sql, untouched)})
    SELECT b.intent_id AS id, ${isFull} AS is_full FROM before b`
}

/** Reserves sweeps of any classes, one by one, while their classes are locked. */
const reserveLocked = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(
    function* (reservations: ReadonlyArray<Reservation>, budgets: Budgets, holder: string | undefined) {
      const at = timestamp(yield* Clock.currentTimeMillis)
      const keys = [...new Set(reservations.flatMap(({ classes }) => classes.map(text)))]
      const ids = [...new Set(reservations.map(({ intentId }) => text(intentId)))]
      // Two calls that reserve the same sweep would each find no reservation to end, and then store one each.
      yield* sql`SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended('exposure ' || id, 0) AS key FROM unnest(${ids}::text[]) AS id ORDER BY key
      ) AS keys`
      const joined = new Map((yield* lockClasses(sql, ids, keys, at, holder)).map((each) => [each.id, each.is_full]))
      const added = reservations.filter(({ intentId }) => !joined.has(intentId))
      const full = reservations.flatMap((each) => (joined.get(each.intentId) ? [crowded(each)] : []))
      if (added.length === 0) return full
      const { admitted, denied } = admit(added, budgets, yield* sums(sql)(keys))
      if (admitted.length > 0) yield* store(sql, admitted, at, holder)
      return [...full, ...denied]
    },
    (effect) => sql.withTransaction(effect)
  )

const reserve = (sql: PgClient.PgClient): Exposures["Service"]["reserve"] => {
  const locked = reserveLocked(sql)
  return Effect.fnUntraced(function* (reservations, budgets, holder) {
    if (reservations.length === 0) return []
    const [key, ...others] = new Set(reservations.flatMap(({ classes }) => classes))
    const isDone =
      key !== undefined && others.length === 0 && (yield* reserveAtOnce(sql, key, reservations, budgets, holder))
    return isDone ? [] : yield* locked(reservations, budgets, holder)
  }, guarded("reserve"))
}

const release = (sql: PgClient.PgClient): Exposures["Service"]["release"] =>
  Effect.fnUntraced(function* (intentIds) {
    if (intentIds.length === 0) return
    const chosen = sql`e.intent_id = ANY(${IntentTables.ids(sql, intentIds.map(text))}) AND ${uncarried(sql)}`
    yield* sql`WITH ${gone(sql, inOrder(sql, chosen))} ${add(sql, ended(sql, "gone"))}`
  }, guarded("release"))

/**
 * Locks the intents first, so that it waits for a submission that is being stored and then keeps that one's reservation. Nothing else
 * locks a quoted intent after a reservation, so no two statements wait for each other.
 */
const releaseQuoted = (sql: PgClient.PgClient): Exposures["Service"]["releaseQuoted"] =>
  Effect.fnUntraced(function* (intentIds, holder) {
    if (intentIds.length === 0) return
    const quoted = sql`
      SELECT s.id FROM orchestrator.intent_states s
      WHERE s.id = ANY(${IntentTables.ids(sql, intentIds.map(text))}) AND s.status = 'quoted'
      ORDER BY s.id FOR SHARE`
    const chosen = sql`e.intent_id IN (SELECT q.id FROM quoted q) AND ${text(holder)} = ANY(e.holders)`
    yield* sql`
      WITH quoted AS (${quoted}), ${gone(sql, inOrder(sql, chosen), sql`cardinality(ending.holders) = 1`)}, withdrawn AS (
        UPDATE orchestrator.exposures e SET holders = array_remove(ending.holders, ${text(holder)})
        FROM ending WHERE e.intent_id = ending.intent_id AND cardinality(ending.holders) > 1
      ) ${add(sql, ended(sql, "gone"))}`
  }, guarded("releaseQuoted"))

const largest = (sql: PgClient.PgClient): Exposures["Service"]["largest"] =>
  Effect.fnUntraced(function* (limit) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<SumsRow>`
      SELECT ${columns(sql, now)} FROM orchestrator.exposure_sums WHERE ${current(sql, now)}
      GROUP BY class HAVING sum(open) > 0 OR sum(lost) > 0 OR sum(earned) > 0
      ORDER BY sum(lost) DESC, sum(open) DESC, class LIMIT ${limit}`
    return rows.map((row) => ({ key: row.class, ...toSums(row) }))
  }, guarded("largest"))

/** Passes over rows that another statement holds, so that it never waits with a lock of its own: the next call finds them. */
const prune = (sql: PgClient.PgClient): Exposures["Service"]["prune"] =>
  Effect.fnUntraced(function* (beforeMs) {
    const at = timestamp(yield* Clock.currentTimeMillis)
    const old = sql`e.reserved_at < ${timestamp(beforeMs)} AND ${uncarried(sql)}`
    yield* sql`WITH ${gone(sql, sql`${inOrder(sql, old)} SKIP LOCKED`)} ${add(sql, ended(sql, "gone"))}`
    yield* sql`
      WITH spent AS (
        SELECT class, hour FROM orchestrator.exposure_sums WHERE hour < ${at}::timestamptz - interval '2 days'
          AND (hour > '-infinity' OR open = 0)
        FOR UPDATE SKIP LOCKED
      ) DELETE FROM orchestrator.exposure_sums s USING spent WHERE s.class = spent.class AND s.hour = spent.hour`
  }, guarded("prune"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  Exposures,
  Effect.map(PgClient.PgClient, (sql) =>
    Exposures.of({
      sums: sums(sql),
      reserved: reserved(sql),
      reserve: reserve(sql),
      release: release(sql),
      releaseQuoted: releaseQuoted(sql),
      paid: paid(sql),
      largest: largest(sql),
      prune: prune(sql)
    })
  )
)
