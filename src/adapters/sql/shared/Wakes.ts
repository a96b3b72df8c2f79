/**
 * Wakes workers of this process directly, and those of other processes by LISTEN/NOTIFY.
 *
 * A notification is sent after the commit, and one notification serves many commits. Inside the transactions it would
 * serialize all commits, since NOTIFY locks the whole database until the commit is on disk. It is lost if the process
 * dies in between, so workers also poll on a timer.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, PubSub, Queue, Random, Schedule, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { describe } from "./Database.ts"

const RECONNECT = Schedule.spaced("1 second")

export const make = Effect.fnUntraced(function* (channel: string) {
  const sql = yield* PgClient.PgClient
  const local = yield* PubSub.sliding<void>(1)
  const outgoing = yield* Queue.sliding<void>(1)
  const self = (yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36)

  yield* Queue.take(outgoing).pipe(
    Effect.andThen(sql.notify(channel, self)),
    Effect.catchTag("SqlError", (error) =>
      Effect.logDebug(`workers of other processes were not woken: ${describe(error)}`)
    ),
    Effect.forever,
    Effect.forkScoped
  )

  let isDeaf = false
  /** Logs an outage once, at its start. */
  const notListening = (error: SqlError) =>
    Effect.suspend(() => {
      if (isDeaf) return Effect.void
      isDeaf = true
      return Effect.logWarning(`not listening for work of other processes: ${describe(error)}`)
    })

  yield* sql.listen(channel).pipe(
    Effect.tap(() => Effect.sync(() => (isDeaf = false))),
    // Covers intents that were submitted while this process did not listen.
    Effect.tap(PubSub.publish(local, undefined)),
    Effect.flatMap((notifications) =>
      Queue.take(notifications).pipe(
        Effect.flatMap(({ payload }) => (payload === self ? Effect.void : PubSub.publish(local, undefined))),
        Effect.forever
      )
    ),
    Effect.scoped,
    Effect.tapError(notListening),
    Effect.retry(RECONNECT),
    Effect.forkScoped
  )

  return {
    wake: Effect.andThen(PubSub.publish(local, undefined), Queue.offer(outgoing, undefined)),
    wakes: Stream.fromPubSub(local)
  }
})
