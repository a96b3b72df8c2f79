/** Restores of the database, in `builder.restores`, and the identity by which one is noticed that nobody recorded. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { timestamp } from "../shared/Database.ts"
import * as OperatorChoices from "../shared/OperatorChoices.ts"
import * as Rows from "./Rows.ts"

type Sql = SqlClient.SqlClient

export interface Restore {
  readonly id: string
  /** UNIX milliseconds of the moment to which the database was restored, or of an earlier one. */
  readonly restoredToMs: number
  readonly recordedAtMs: number
  /** Absent until it is reconciled. */
  readonly reconciledAtMs?: number
}

const RestoreRow = Schema.Struct({
  id: Rows.RowId,
  restored_to: Rows.Millis,
  recorded_at: Rows.Millis,
  reconciled_at: Schema.NullOr(Rows.Millis)
})

const restores = (rows: ReadonlyArray<unknown>) =>
  Effect.map(Rows.decode(RestoreRow)(rows), (decoded) =>
    decoded.map(({ id, reconciled_at, recorded_at, restored_to }): Restore => ({
      id,
      restoredToMs: restored_to,
      recordedAtMs: recorded_at,
      ...Rows.present({ reconciledAtMs: reconciled_at })
    }))
  )

/**
 * True if this is not the database in which the last record of a restore, its reconciliation, or the migration, noted the identity. A part
 * of it that the role may not read, now or then, does not count.
 */
export const isForeign = (sql: Sql) =>
  Effect.map(
    sql`SELECT 1 AS foreign_identity FROM builder.database_identity
      WHERE builder.is_other_database(identity, builder.current_identity())`,
    (rows) => rows.length > 0
  )

/** True if the database was restored, and no reconciliation has come to its end since. */
export const isUnreconciled = (sql: Sql) =>
  Effect.map(
    sql<{ unreconciled: boolean }>`SELECT builder.is_unreconciled() AS unreconciled`,
    ([row]) => row?.unreconciled === true
  )

/** The restore that was recorded last. */
export const latest = (sql: Sql) =>
  Effect.map(Effect.flatMap(sql`SELECT * FROM builder.restores ORDER BY id DESC LIMIT 1`, restores), ([last]) => last)

/** Restores without a reconciliation that has come to its end, the one to the earliest moment first. */
export const open = (sql: Sql) =>
  Effect.flatMap(sql`SELECT * FROM builder.restores WHERE reconciled_at IS NULL ORDER BY restored_to, id`, restores)

const noteIdentity = (sql: Sql) => sql`INSERT INTO builder.database_identity (identity)
  SELECT builder.current_identity() ON CONFLICT (id) DO UPDATE SET identity = excluded.identity`

/**
 * Records a restore to this moment (UNIX milliseconds). Notes the identity of the database, which tells a later restore from this one:
 * payouts stop for the record itself until it is reconciled. Ends all sessions of builders: the database does not know which of them were
 * ended after the moment. Pauses all sweeps: the database does not know what operators have paused or limited since. `actor` goes into the
 * operators' log.
 */
export const record = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  restoredToMs: number,
  actor = "sweep restore"
) {
  const now = timestamp(yield* Clock.currentTimeMillis)
  const rows = yield* sql.withTransaction(
    Effect.andThen(
      Effect.all([
        sql`DELETE FROM builder.sessions`,
        noteIdentity(sql),
        OperatorChoices.pauseAll(sql, restoredToMs, actor)
      ]),
      sql`INSERT INTO builder.restores (restored_to, recorded_at) VALUES (${timestamp(restoredToMs)}, ${now}) RETURNING *`
    )
  )
  const [recorded] = yield* restores(rows)
  return recorded ?? (yield* Effect.die(new Error("a restore was not recorded")))
})

/** Changes the moment (UNIX milliseconds) of a restore. Returns false if the restore has ended. */
export const move = (sql: Sql, id: string, restoredToMs: number) =>
  Effect.map(
    sql`UPDATE builder.restores SET restored_to = ${timestamp(restoredToMs)}
      WHERE id = ${id}::text::bigint AND reconciled_at IS NULL RETURNING id`,
    (rows) => rows.length > 0
  )

/**
 * Ends the restores with these ids, which were compared with the chains. Notes that this is the database that was reconciled, unless
 * another restore is open: that one was recorded meanwhile, and nothing was compared for it.
 */
export const close = Effect.fnUntraced(function* (sql: Sql, ids: ReadonlyArray<string>) {
  const now = timestamp(yield* Clock.currentTimeMillis)
  yield* sql.withTransaction(
    Effect.all([
      sql`UPDATE builder.restores SET reconciled_at = greatest(${now}, recorded_at)
        WHERE reconciled_at IS NULL AND id = ANY(${ids}::text[]::bigint[])`,
      sql`INSERT INTO builder.database_identity (identity) SELECT builder.current_identity()
        WHERE NOT EXISTS (SELECT FROM builder.restores WHERE reconciled_at IS NULL)
        ON CONFLICT (id) DO UPDATE
          SET identity = builder.fuller_identity(database_identity.identity, excluded.identity)`
    ])
  )
})

/** Chains on which builders earned or were paid, or on which the relayer has lanes. Every accrual counts in `treasury_totals`. */
export const chainIds = (sql: Sql) =>
  Effect.map(
    Effect.flatMap(
      sql`SELECT chain_id FROM builder.treasury_totals WHERE chain_id IS NOT NULL
        UNION SELECT chain_id FROM builder.payable
        UNION SELECT chain_id FROM builder.payouts
        UNION SELECT chain_id FROM builder.unassigned_accruals
        UNION SELECT chain_id FROM orchestrator.lanes
        ORDER BY chain_id`,
      Rows.decode(Schema.Struct({ chain_id: Rows.Int8 }))
    ),
    (rows) => rows.map(({ chain_id }) => chain_id)
  )

/** UNIX milliseconds of the last write of the services that the database shows; undefined for one that was never used. */
export const lastWrite = (sql: Sql) =>
  Effect.map(
    sql<{ at: Date | null }>`SELECT greatest(
        (SELECT max(probed_at) FROM orchestrator.health_probe), (SELECT max(probed_at) FROM builder.health_probe),
        (SELECT created_at FROM builder.ledger_entries ORDER BY id DESC LIMIT 1),
        (SELECT created_at FROM orchestrator.relay_transactions ORDER BY id DESC LIMIT 1)
      ) AS at`,
    ([row]) => row?.at?.getTime()
  )
