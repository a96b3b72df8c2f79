/**
 * PostgreSQL connection of the durable stores, and the mapping of its failures to `StoreUnavailable`.
 *
 * Every call has a limit on this side, because a database that hangs keeps its connections open and answers nothing: a
 * statement (which breaks its connection), the wait for a connection, and the whole operation.
 */
import { PgClient } from "@effect/sql-pg"
import { Cause, Context, Duration, Effect, Exit, Fiber, Layer, Option, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Hex } from "../../../domain/Hex.ts"
import { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { STORE_DURATION, STORE_FAILURES } from "../../../telemetry/metrics/Queues.ts"
import { timed } from "../../../telemetry/Timed.ts"
import * as Sockets from "./Sockets.ts"

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. Accepts libpq's parameters such as `sslmode`. */
  readonly url: Redacted.Redacted
  /**
   * The same database without a proxy, for LISTEN and migrations. If it is set, `url` may lead to a proxy that gives each
   * transaction another connection (PgBouncer's transaction mode): statements are not prepared by name, and their limits
   * are those of the role, because such a proxy passes no limits on.
   */
  readonly directUrl?: Redacted.Redacted | undefined
  /** Maximum number of connections. A transaction uses one, and so does each listener. Default: 16. */
  readonly poolSize?: number
  /** Name in `pg_stat_activity`. Default: `token-sweep`. */
  readonly applicationName?: string
  /** Default: 3 seconds. */
  readonly connectTimeout?: Duration.Input
  /**
   * Timeout of a statement in milliseconds, including its wait for locks. The server ends such a statement. If the server
   * does not answer at all, the connection is dropped half a second later. Default: 3000.
   */
  readonly statementTimeoutMillis?: number
}

/** Name of the services' sessions in `pg_stat_activity`. */
export const APPLICATION_NAME = "token-sweep"

const STATEMENT_TIMEOUT_MILLIS = 3_000

/** Time that the server has to report that it ended a statement. */
const REPORT_MILLIS = 500

/** Timeout of an operation of a store with its wait for a connection. A transaction has several statements. */
const OPERATION_TIMEOUT_MILLIS = 10_000

/** Connections beside the pool that listen. */
const MAX_LISTENERS = 4

/** True if the connections that listen and migrate have a URL of their own, which may lead to another database. */
export class HasDirectUrl extends Context.Reference<boolean>("sweep/sql/HasDirectUrl", { defaultValue: () => false }) {}

/**
 * Pool that connects on demand: it can be built while the database is down, and it replaces a broken connection at its
 * next use.
 */
export const layer = (options: DatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> => {
  const statementTimeout = options.statementTimeoutMillis ?? STATEMENT_TIMEOUT_MILLIS
  const isProxied = options.directUrl !== undefined
  const client = PgClient.layerFrom(
    Effect.gen(function* () {
      const limit = Duration.millis(statementTimeout + REPORT_MILLIS)
      const common = {
        applicationName: options.applicationName ?? APPLICATION_NAME,
        connectTimeout: options.connectTimeout ?? "3 seconds"
      }
      const limits = {
        statement_timeout: String(statementTimeout),
        // Releases the locks of a process that hangs inside a transaction. A transaction that signs must finish within it.
        idle_in_transaction_session_timeout: String(2 * statementTimeout),
        // Servers with LLVM otherwise compile each claim of the queue, which takes longer than a statement may.
        jit: "off",
        // Everything that the service reads often has an index. A plan is kept until the next statistics of a table, and one that was made
        // when the table was small would read it from end to end for one row.
        enable_seqscan: "off"
      }
      const pool = yield* PgClient.make({
        ...common,
        url: options.url,
        stream: yield* Sockets.make(options.url, limit),
        maxConnections: options.poolSize ?? 16,
        prepare: !isProxied,
        startupParameters: { ...(isProxied ? {} : limits), timezone: "UTC" }
      })
      if (options.directUrl === undefined) return pool
      const direct = yield* PgClient.make({
        ...common,
        url: options.directUrl,
        stream: yield* Sockets.make(options.directUrl, limit),
        maxConnections: MAX_LISTENERS,
        startupParameters: { ...limits, timezone: "UTC" }
      })
      // Migrations connect by the configuration.
      return Object.assign(pool, { listen: direct.listen, config: direct.config })
    })
  )
  return Layer.merge(client, Layer.succeed(HasDirectUrl, isProxied))
}

/** A single connection to the same database without limits, for migrations. */
export const unlimited = Effect.flatMap(PgClient.PgClient, ({ config: { applicationName, connectTimeout, url } }) =>
  PgClient.make({
    url,
    applicationName,
    connectTimeout,
    keepAlive: "30 seconds",
    maxConnections: 1,
    startupParameters: { statement_timeout: "0", idle_in_transaction_session_timeout: "0", timezone: "UTC" }
  })
)

/** Message of the server or the socket, without stack traces of the client. */
export const describe = ({ reason }: SqlError): string =>
  `${reason._tag}: ${reason.cause instanceof Error ? reason.cause.message : (reason.message ?? "")}`

const unavailable = (operation: string, error: SqlError) => new StoreUnavailable({ operation, detail: describe(error) })

const timedOut = (operation: string) =>
  new StoreUnavailable({ operation, detail: `no answer within ${OPERATION_TIMEOUT_MILLIS / 1_000} s` })

/**
 * Maps every database failure to `StoreUnavailable`, including defects: if a connection is lost inside a transaction,
 * the client cannot roll back and reports that as a defect, together with the original failure as a second defect.
 */
export const mapped =
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

/**
 * Fails after the time limit of operations, as soon as the operation is interrupted. Measured in real time, because it is a server that it
 * waits for.
 */
const limited =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
        // Made when it is needed, since an error takes its stack along.
        const late = Effect.andThen(
          Fiber.interrupt(fiber),
          Effect.suspend(() => Effect.fail(timedOut(operation)))
        )
        const ended = Effect.callback<A, E | StoreUnavailable>((resume) => {
          const timer = setTimeout(() => resume(late), OPERATION_TIMEOUT_MILLIS)
          fiber.addObserver((exit) => {
            clearTimeout(timer)
            resume(exit)
          })
        })
        return Effect.onInterrupt(restore(ended), () => Fiber.interrupt(fiber))
      })
    )

/** Measures an operation, and counts it if the database failed. */
const counted = (operation: string) =>
  timed((exit, seconds) => {
    const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
    return Effect.andThen(
      STORE_DURATION.record(seconds, {}),
      failure instanceof StoreUnavailable ? STORE_FAILURES.record(1, { operation }) : Effect.void
    )
  })

/** Limits an operation to {@link OPERATION_TIMEOUT_MILLIS}, and maps its failures like {@link mapped}. */
export const guarded =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreUnavailable, R> =>
    counted(operation)(limited(operation)(mapped(operation)(effect)))

/** Replaces NUL and halves of surrogate pairs, which PostgreSQL refuses. Revert reasons and ids of callers may contain them. */
export const text = (value: string): string => value.toWellFormed().replaceAll("\0", "\uFFFD")

/** UNIX milliseconds as a `timestamptz` parameter. */
export const timestamp = (millis: number): Date => new Date(millis)

/** Bytes as a `bytea` parameter. */
export const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex")
