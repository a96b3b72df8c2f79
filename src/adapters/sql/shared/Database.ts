/** PostgreSQL connection of the durable stores, and the mapping of its failures to `StoreUnavailable`. */
import { PgClient } from "@effect/sql-pg"
import { Cause, type Duration, Effect, type Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { StoreUnavailable } from "../../../ports/shared/Store.ts"

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. Accepts libpq's parameters such as `sslmode`. */
  readonly url: Redacted.Redacted
  /** Maximum number of connections. A transaction uses one, and so does each listener. Default: 16. */
  readonly poolSize?: number
  /** Name in `pg_stat_activity`. Default: `token-sweep`. */
  readonly applicationName?: string
  readonly connectTimeout?: Duration.Input
  /** Timeout of a statement in milliseconds, including its wait for locks. Default: 15000. */
  readonly statementTimeoutMillis?: number
}

/**
 * Pool that connects on demand: it can be built while the database is down, and it replaces a broken connection at its
 * next use.
 */
export const layer = (options: DatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> => {
  const statementTimeout = options.statementTimeoutMillis ?? 15_000
  return PgClient.layer({
    url: options.url,
    maxConnections: options.poolSize ?? 16,
    applicationName: options.applicationName ?? "token-sweep",
    connectTimeout: options.connectTimeout ?? "5 seconds",
    // Detects a peer that vanished, such as a database host that lost power.
    keepAlive: "30 seconds",
    startupParameters: {
      statement_timeout: String(statementTimeout),
      // Releases the locks of a process that hangs inside a transaction. A transaction that signs must finish within
      // it.
      idle_in_transaction_session_timeout: String(2 * statementTimeout),
      timezone: "UTC"
    }
  })
}

/** Message of the server or the socket, without stack traces of the client. */
export const describe = ({ reason }: SqlError): string =>
  `${reason._tag}: ${reason.cause instanceof Error ? reason.cause.message : (reason.message ?? "")}`

const unavailable = (operation: string, error: SqlError) => new StoreUnavailable({ operation, detail: describe(error) })

/**
 * Maps every database failure to `StoreUnavailable`, including defects: if a connection is lost inside a transaction,
 * the client cannot roll back and reports that as a defect, together with the original failure as a second defect.
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

/** Replaces NUL, which PostgreSQL text cannot contain. Revert reasons and ids of callers may contain it. */
export const text = (value: string): string => value.replaceAll("\0", "\uFFFD")

/** UNIX milliseconds as a `timestamptz` parameter. */
export const timestamp = (millis: number): Date => new Date(millis)
