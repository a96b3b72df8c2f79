/** The Postgres connection that the durable stores share, and how its failures become the ports' one. */
import { PgClient } from "@effect/sql-pg"
import { Cause, type Duration, Effect, type Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { StoreUnavailable } from "../../../ports/shared/Store.ts"

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`, with libpq's parameters such as `sslmode`. */
  readonly url: Redacted.Redacted
  /** Connections at most. A transaction holds one; so does each listener. */
  readonly poolSize?: number
  /** Shown by `pg_stat_activity`. */
  readonly applicationName?: string
  readonly connectTimeout?: Duration.Input
  /** Milliseconds after which Postgres gives a statement up; also how long it waits for a lock. */
  readonly statementTimeoutMillis?: number
}

/**
 * A pool that connects on demand: building it does not need the database, and a connection that a restart of the database
 * broke is replaced when it is next asked for.
 */
export const layer = (options: DatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> => {
  const statementTimeout = options.statementTimeoutMillis ?? 15_000
  return PgClient.layer({
    url: options.url,
    maxConnections: options.poolSize ?? 16,
    applicationName: options.applicationName ?? "token-sweep",
    connectTimeout: options.connectTimeout ?? "5 seconds",
    // Finds a peer that vanished without a word, such as a database host that lost power.
    keepAlive: "30 seconds",
    startupParameters: {
      statement_timeout: String(statementTimeout),
      // Frees the locks of a process that hangs inside a transaction; signing by a KMS must fit in.
      idle_in_transaction_session_timeout: String(2 * statementTimeout),
      timezone: "UTC"
    }
  })
}

/** What the server or the socket said, without the client's stack traces. */
export const describe = ({ reason }: SqlError): string =>
  `${reason._tag}: ${reason.cause instanceof Error ? reason.cause.message : (reason.message ?? "")}`

const unavailable = (operation: string, error: SqlError) => new StoreUnavailable({ operation, detail: describe(error) })

/**
 * Turns whatever the database says into `StoreUnavailable`. Defects too: when a connection is lost inside a transaction, the
 * client cannot roll back, which it reports as a defect, and whatever failed before then becomes a defect beside it.
 */
export const guarded =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreUnavailable, R> =>
    effect.pipe(
      Effect.catchIf(isSqlError, (error) => Effect.fail(unavailable(operation, error))),
      Effect.catchCause((cause) => {
        const lost = cause.reasons
          .flatMap((reason) => (Cause.isDieReason(reason) ? [reason.defect] : []))
          .find(isSqlError)
        return lost === undefined || Cause.hasInterrupts(cause)
          ? Effect.failCause(cause)
          : Effect.fail(unavailable(operation, lost))
      })
    )

/** Text from outside as Postgres can hold it: it has no NUL, which revert reasons and callers' ids may contain. */
export const text = (value: string): string => value.replaceAll("\0", "\uFFFD")

/** Milliseconds since 1970 as a `timestamptz` parameter. */
export const timestamp = (millis: number): Date => new Date(millis)
