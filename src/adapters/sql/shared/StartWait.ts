/**
 * Waits at the start of a service for a database that is coming up, for example after a reboot of both. A wrong password or a database
 * that does not exist is no reason to wait.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Result, Schema } from "effect"
import { type SqlError, isSqlError } from "effect/sql/SqlError"
import { describe } from "./Database.ts"
import * as SameDatabase from "./SameDatabase.ts"

/** Longest wait. */
const PATIENCE = Duration.seconds(60)

const PAUSE = Duration.seconds(1)

/** Pause between log lines, in milliseconds. */
const LOG_MILLIS = 5_000

/** The database did not come up. The message says what to do. */
export class DatabaseMissing extends Schema.TaggedError<DatabaseMissing>()("DatabaseMissing", {
  detail: Schema.String,
  seconds: Schema.Int
}) {
  override get message(): string {
    const waited = this.seconds === 0 ? "" : ` after ${this.seconds} seconds`
    return `the database cannot be used${waited}: ${this.detail}. Check DATABASE_URL, and that PostgreSQL runs and takes connections`
  }
}

/** SQLSTATE of a server that starts, stops or recovers, or that has no free connection. */
const COMING_UP = new Set(["57P01", "57P02", "57P03", "53300"])

const stateOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** True if a later attempt may succeed without a change of the settings. */
const mayComeUp = ({ reason }: SqlError): boolean =>
  reason._tag === "ConnectionError" || COMING_UP.has(String(stateOf(reason.cause)))

/** Succeeds as soon as `attempt` does. Fails at once if waiting cannot help, and otherwise after {@link PATIENCE}. */
export const until = Effect.fnUntraced(function* (attempt: Effect.Effect<unknown, SqlError>) {
  const startedAt = yield* Clock.currentTimeMillis
  let loggedAt = Number.NEGATIVE_INFINITY
  while (true) {
    const result = yield* Effect.result(attempt)
    const now = yield* Clock.currentTimeMillis
    const waited = now - startedAt
    if (Result.isSuccess(result)) {
      if (loggedAt > 0) yield* Effect.logInfo("database.up").pipe(Effect.annotateLogs({ waitedMillis: waited }))
      return
    }
    const detail = describe(result.failure)
    const isOver = waited >= Duration.toMillis(PATIENCE)
    if (isOver || !mayComeUp(result.failure)) {
      return yield* new DatabaseMissing({ detail, seconds: Math.round(waited / 1_000) })
    }
    if (now - loggedAt >= LOG_MILLIS) {
      loggedAt = now
      yield* Effect.logWarning("database.waiting").pipe(
        Effect.annotateLogs({ detail, secondsLeft: Math.round((Duration.toMillis(PATIENCE) - waited) / 1_000) })
      )
    }
    yield* Effect.sleep(PAUSE)
  }
})

/** Waits for the database of the pool. Fails if the direct URL then leads to another one. */
export const forDatabase = Effect.flatMap(PgClient.PgClient, (sql) =>
  until(
    sql`SELECT 1`.pipe(
      // A connection that breaks while it is opened may end in a defect.
      Effect.catchDefect((defect) => (isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)))
    )
  )
).pipe(Effect.andThen(SameDatabase.check))
