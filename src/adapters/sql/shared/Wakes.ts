/**
 * Wakes workers of this process directly, and those of other processes by LISTEN/NOTIFY. A wake-up may be about a subject, such as a
 * chain, and then wakes only the workers on it.
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

/** Subject of a wake-up. Undefined: everything. */
type Subject = string | undefined

/** Wake-ups that a worker may be behind. It looks for everything that there is at each, and on a timer if it misses one. */
const KEPT = 64

/** Payload of a notification: the process that sends it, and the subjects if it is not about everything. */
const payloadOf = (self: string, subjects: ReadonlySet<Subject>): string =>
  subjects.has(undefined) ? self : `${self} ${[...subjects].join(",")}`

/** The release before sends no subjects. */
const read = (payload: string): { readonly sender: string | undefined; readonly subjects: ReadonlyArray<Subject> } => {
  const [sender, subjects] = payload.split(" ")
  return { sender, subjects: subjects === undefined ? [undefined] : subjects.split(",") }
}

/** Makes `wake(subject)`, and `wakes(subject)`, the wake-ups about this subject or everything. */
export const make = Effect.fnUntraced(function* (channel: string) {
  const sql = yield* PgClient.PgClient
  const local = yield* PubSub.sliding<Subject>(KEPT)
  const outgoing = yield* Queue.sliding<void>(1)
  const self = (yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36)
  let unsent = new Set<Subject>()

  const send = Effect.suspend(() => {
    const payload = payloadOf(self, unsent)
    unsent = new Set()
    return sql.notify(channel, payload)
  })
  yield* Queue.take(outgoing).pipe(
    Effect.andThen(send),
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
        Effect.flatMap(({ payload = "" }) => {
          const { sender, subjects } = read(payload)
          return sender === self ? Effect.void : PubSub.publishAll(local, subjects)
        }),
        Effect.forever
      )
    ),
    Effect.scoped,
    Effect.tapError(notListening),
    Effect.retry(RECONNECT),
    Effect.forkScoped
  )

  const wake = (subject?: string) =>
    Effect.suspend(() => {
      unsent.add(subject)
      return Effect.andThen(PubSub.publish(local, subject), Queue.offer(outgoing, undefined))
    })
  const wakes = (subject?: string): Stream.Stream<void> =>
    Stream.fromPubSub(local).pipe(
      Stream.filter((about) => about === undefined || about === subject),
      Stream.map(() => undefined)
    )
  return { wake, wakes }
})
