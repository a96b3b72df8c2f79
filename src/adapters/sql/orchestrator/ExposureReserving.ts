/** Reservations of sweeps in PostgreSQL, of submissions and of claims. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { admit, type Budgets, type Denied, type Reservation, sureLimit } from "../../../domain/Exposure.ts"
import { type Claim, type Held, isClaim, replace } from "../../../domain/ExposureClaims.ts"
import { crowded, type Exposures, MOST_HOLDERS } from "../../../ports/orchestrator/Exposures.ts"
import { boundedPast, boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import { add, current, ended, gone, inOrder, isOfClaim, lockSweeps, sums, uncarried } from "./ExposureRows.ts"
import * as IntentTables from "./IntentTables.ts"

/** Holders of a new reservation. */
const held = (holder: string | undefined): ReadonlyArray<string> => (holder === undefined ? [] : [text(holder)])

const store = (sql: PgClient.PgClient, stored: ReadonlyArray<Held>) => {
  const rows = stored.map(({ atMs, classes, holders, intentId, wei }) => ({
    id: intentId,
    wei: String(wei),
    at: timestamp(atMs).toISOString(),
    classes,
    holders
  }))
  return sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(rows)})
        AS g (id text, wei numeric, at timestamptz, classes text[], holders text[])
    ), reserved AS (
      INSERT INTO orchestrator.exposures (intent_id, wei, reserved_at, classes, holders)
      SELECT id, wei, ${boundedPast(sql, sql`at`)}, classes, holders FROM given
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
  key: string,
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
      SELECT g.id, g.wei, ${yield* boundedTime(sql, now)}, ARRAY[pot.class], ${held(holder)}::text[]
      FROM pot, unnest(${ids}::text[], ${wei}::numeric[]) AS g (id, wei)
    )
    SELECT class FROM pot`
  return rows.length > 0
})

/** Locks the classes of these keys until the transaction ends, and changes nothing. */
const untouched = (sql: PgClient.PgClient, keys: ReadonlyArray<string>) =>
  sql`SELECT class, '-infinity'::timestamptz, 0::numeric, 0::numeric, 0::numeric
    FROM unnest(${IntentTables.ids(sql, keys)}) AS class`

/** Reservations to make while their classes are locked. */
interface Request {
  readonly reservations: ReadonlyArray<Reservation>
  readonly budgets: Budgets
  /** Each class once. */
  readonly keys: ReadonlyArray<string>
  /** Ids of the intents, each once. */
  readonly ids: ReadonlyArray<string>
}

const lockedRows = (sql: PgClient.PgClient, { ids }: Request) =>
  inOrder(sql, sql`e.intent_id = ANY(${IntentTables.ids(sql, ids)})`)

/** Stores the sweeps that the budgets have room for, and returns the others. */
const admitted = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  { budgets, keys, reservations }: Request,
  holders: ReadonlyArray<string>
) {
  const decided = admit(reservations, budgets, yield* sums(sql)(keys))
  const atMs = yield* Clock.currentTimeMillis
  const added = decided.admitted.map((each) => ({ ...each, atMs, holders }))
  if (added.length > 0) yield* store(sql, added)
  return decided.denied
})

/** Ends what the sweeps had reserved before. */
const reserveAnew = Effect.fnUntraced(function* (sql: PgClient.PgClient, request: Request) {
  const changes = sql`${ended(sql, "gone")} UNION ALL ${untouched(sql, request.keys)}`
  yield* sql`WITH ${gone(sql, lockedRows(sql, request))} ${add(sql, changes)}`
  return yield* admitted(sql, request, [])
})

/** Adds the submission to the reservations of sweeps that have one of submissions. */
const reserveFor = Effect.fnUntraced(function* (sql: PgClient.PgClient, request: Request, submission: string) {
  const { keys, reservations } = request
  const at = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
  const holder = text(submission)
  const isFull = sql`(cardinality(b.holders) >= ${MOST_HOLDERS} AND NOT ${holder} = ANY(b.holders))`
  const rows = yield* sql<{ readonly id: string; readonly is_full: boolean }>`
    WITH before AS (${lockedRows(sql, request)}), joined AS (
      UPDATE orchestrator.exposures e SET reserved_at = ${at},
        holders = array_append(array_remove(b.holders, ${holder}), ${holder})
      FROM before b
      WHERE e.intent_id = b.intent_id AND b.holders <> '{}' AND NOT ${isOfClaim(sql, "b")} AND NOT ${isFull}
    ), classes AS (${add(sql, untouched(sql, keys))})
    SELECT b.intent_id AS id, ${isFull} AS is_full FROM before b`
  const known = new Map(rows.map((row) => [row.id, row.is_full]))
  const full: ReadonlyArray<Denied> = reservations.flatMap((each) => (known.get(each.intentId) ? [crowded(each)] : []))
  const added = reservations.filter(({ intentId }) => !known.has(intentId))
  if (added.length === 0) return full
  return [...full, ...(yield* admitted(sql, { ...request, reservations: added }, held(holder)))]
})

/** A reservation that the claim replaces. Without columns for one that a transaction carries, which stays as it is. */
interface Replaceable {
  readonly id: string
  readonly classes: ReadonlyArray<string> | null
  readonly wei: string | null
  readonly at: number | null
  readonly holders: ReadonlyArray<string> | null
}

const toHeld = ({ at, classes, holders, id, wei }: Replaceable): ReadonlyArray<Held> =>
  at === null || classes === null || holders === null || wei === null
    ? []
    : [{ intentId: id, classes, wei: BigInt(wei), atMs: at, holders }]

/** Replaces what the sweeps had reserved before, see `replace`. */
const reserveClaimed = Effect.fnUntraced(function* (sql: PgClient.PgClient, request: Request, claim: Claim) {
  const { budgets, keys, reservations } = request
  const changes = sql`${ended(sql, "gone")} UNION ALL ${untouched(sql, keys)}`
  const rows = yield* sql<Replaceable>`
    WITH ${gone(sql, lockedRows(sql, request), uncarried(sql))}, classes AS (${add(sql, changes)})
    SELECT b.intent_id AS id, g.classes, g.wei::text AS wei, g.holders,
      (extract(epoch FROM g.reserved_at) * 1000)::float8 AS at
    FROM ending b LEFT JOIN gone g USING (intent_id)`
  const before = rows.flatMap(toHeld)
  const carried = new Set(rows.filter((row) => row.classes === null).map(({ id }) => id))
  const now = yield* Clock.currentTimeMillis
  const classes = new Set([...keys, ...before.flatMap((each) => each.classes)])
  const { denied, stored } = replace(
    reservations.filter(({ intentId }) => !carried.has(intentId)),
    budgets,
    yield* sums(sql)([...classes]),
    { before, claim, now }
  )
  if (stored.length > 0) yield* store(sql, stored)
  return denied
})

/** Reserves sweeps of any classes, one by one, while their classes are locked. */
const reserveLocked = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(
    function* (reservations: ReadonlyArray<Reservation>, budgets: Budgets, holder: string | undefined) {
      const keys = [...new Set(reservations.flatMap(({ classes }) => classes.map(text)))]
      const ids = [...new Set(reservations.map(({ intentId }) => text(intentId)))]
      // Two calls that reserve the same sweep would each find no reservation to end, and then store one each.
      yield* lockSweeps(sql, ids)
      const request: Request = { reservations, budgets, keys, ids }
      if (holder === undefined) return yield* reserveAnew(sql, request)
      return yield* isClaim(holder) ? reserveClaimed(sql, request, holder) : reserveFor(sql, request, holder)
    },
    (effect) => sql.withTransaction(effect)
  )

export const reserve = (sql: PgClient.PgClient): Exposures["Service"]["reserve"] => {
  const locked = reserveLocked(sql)
  return Effect.fnUntraced(function* (reservations, budgets, holder) {
    if (reservations.length === 0) return []
    const [key, ...others] = new Set(reservations.flatMap(({ classes }) => classes))
    const isDone =
      key !== undefined && others.length === 0 && (yield* reserveAtOnce(sql, key, reservations, budgets, holder))
    return isDone ? [] : yield* locked(reservations, budgets, holder)
  }, guarded("reserve"))
}
