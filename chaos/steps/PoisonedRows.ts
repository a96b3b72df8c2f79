/**
 * Steps in which one row of a queue cannot be read: the others go on, an alert names the row, and the alert clears when the row
 * is mended. Rows are broken and mended by SQL, as by a release that wrote something else.
 */
import { Effect, type Scope } from "effect"
import type { Alarm } from "./Alarms.ts"
import { besides, joined, nothing, settling, type Stage, type Step } from "./Step.ts"

export const QUEUES = ["outbox message", "intent", "relay transaction", "webhook delivery"] as const
export type Queue = (typeof QUEUES)[number]

/** Time in which the other rows are worked off, and in which the alert stands. */
const GOES_ON_MILLIS = 20_000
const ALERT_MILLIS = 15_000

/** A broken row. */
export interface Poisoned {
  /** Part of the row that its alert names. */
  readonly id: string
  readonly mend: Effect.Effect<unknown, unknown>
  /** Names other rows that have not been worked off. */
  readonly held: Effect.Effect<ReadonlyArray<string>, unknown>
}

export const names =
  (id: string) =>
  ({ details, key, message }: Alarm): boolean =>
    [key, message, ...Object.values(details).map(String)].some((text) => text.split(/[^\w-]+/u).includes(id))

const counted = (rows: ReadonlyArray<{ readonly count: number }>, what: string) =>
  (rows[0]?.count ?? 0) === 0 ? [] : [`${rows[0]?.count} other ${what} are held up`]

/** A message of a settled sweep comes again, and its content is gone. */
const outboxMessage = Effect.fnUntraced(function* ({ traffic, world }: Stage) {
  const { sql } = world
  // There must be messages to break.
  yield* traffic.healthy(world.alpha)
  const [row] = yield* sql<{ id: string }>`
    SELECT id::text FROM orchestrator.outbox WHERE message ->> '_tag' = 'Revenue' ORDER BY id DESC LIMIT 1`
  if (row === undefined) return yield* Effect.die(new Error("no message is there to break"))
  const due = sql`state = 'pending', due_at = now(), held_until = NULL, attempts = 0, closed_at = NULL, detail = NULL`
  yield* sql`
    UPDATE orchestrator.outbox SET message = jsonb_set(message - 'revenue', '{broken}', message -> 'revenue'), ${due}
    WHERE id = ${row.id}::bigint`
  return {
    id: row.id,
    mend: sql`
      UPDATE orchestrator.outbox SET message = jsonb_set(message - 'broken', '{revenue}', message -> 'broken'), ${due}
      WHERE id = ${row.id}::bigint`,
    held: Effect.map(
      sql<{ count: number }>`
        SELECT count(*)::int AS count FROM orchestrator.outbox WHERE state = 'pending' AND id <> ${row.id}::bigint`,
      (rows) => counted(rows, "messages")
    )
  } satisfies Poisoned
})

/** A submitted sweep waits in the queue, and its quote lacks the total. */
const intent = Effect.fnUntraced(function* ({ traffic, world }: Stage) {
  const { sql } = world
  const sweep = yield* traffic.quoted(world.alpha)
  if (sweep === undefined) return yield* Effect.die(new Error("no quote is there to break"))
  const { authorization, signature } = sweep.signed
  const number = sql`(SELECT number FROM orchestrator.intent_states WHERE id = ${sweep.id})`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`
        UPDATE orchestrator.intent_terms SET quote = jsonb_set(quote - 'total', '{broken}', quote -> 'total')
        WHERE number = ${number}`
      yield* sql`
        INSERT INTO orchestrator.intent_signatures (
          number, authorization_chain_id, authorization_nonce, y_parity, delegate, r, s, signature
        )
        SELECT ${number}, (a ->> 'chainId')::bigint, (a ->> 'nonce')::numeric, coalesce((a ->> 'yParity')::smallint, 0),
          decode(substr(a ->> 'address', 3), 'hex'), decode(substr(a ->> 'r', 3), 'hex'),
          decode(substr(a ->> 's', 3), 'hex'), decode(substr(${signature}, 3), 'hex')
        FROM (SELECT ${sql.json(authorization)}::jsonb AS a) signed`
      yield* sql`
        UPDATE orchestrator.intent_states SET status = 'submitted', submitted_at = now(), updated_at = now()
        WHERE id = ${sweep.id}`
      yield* sql`
        INSERT INTO orchestrator.intent_history (number, status, at) SELECT ${number}, 'submitted', now()`
    })
  )
  return {
    id: sweep.id,
    mend: sql`
      UPDATE orchestrator.intent_terms SET quote = jsonb_set(quote - 'broken', '{total}', quote -> 'broken')
      WHERE number = ${number}`,
    held: Effect.map(
      sql<{ count: number }>`
        SELECT count(*)::int AS count FROM orchestrator.intents WHERE status = 'submitted' AND id <> ${sweep.id}`,
      (rows) => counted(rows, "intents")
    )
  } satisfies Poisoned
})

/** A transaction that waits at its node has a date that is none. */
const relayTransaction = Effect.fnUntraced(function* ({ miners, traffic, world }: Stage) {
  const { sql } = world
  const id = yield* miners.alpha.paused(
    Effect.gen(function* () {
      yield* traffic.hindered(world.alpha)
      const broken = sql<{ id: string }>`
        UPDATE orchestrator.relay_transactions SET created_at = 'infinity'
        WHERE id = (SELECT id FROM orchestrator.relay_transactions WHERE status = 'pending' ORDER BY id DESC LIMIT 1)
        RETURNING id::text`
      for (let look = 0; look < 100; look++) {
        const [row] = yield* broken
        if (row !== undefined) return row.id
        yield* Effect.sleep("50 millis")
      }
      return yield* Effect.die(new Error("no transaction is there to break"))
    })
  )
  return {
    id,
    mend: sql`UPDATE orchestrator.relay_transactions SET created_at = now() WHERE id = ${id}::bigint`,
    held: Effect.map(
      sql<{ count: number }>`
        SELECT count(*)::int AS count FROM orchestrator.relay_transactions WHERE status <> 'final' AND id <> ${id}::bigint`,
      (rows) => counted(rows, "transactions")
    )
  } satisfies Poisoned
})

const MESSAGES = 4

/** The first of some messages to one endpoint has a type that does not exist. */
const webhookDelivery = Effect.fnUntraced(function* ({ builder, world }: Stage) {
  const { sql } = world
  const receiver = yield* Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(null, { status: 204 }) })),
    (running) => Effect.promise(() => running.stop(true))
  )
  const name = `poisoned_${crypto.randomUUID().slice(0, 8)}`
  yield* builder.post("/builders", { id: name, name, builderBps: 0, maxBuilderBps: 0, payoutAddress: address() })
  yield* sql`
    INSERT INTO builder.webhook_endpoints (id, builder_id, url, description, events, secret, created_at)
    VALUES (${name}, ${name}, ${`http://127.0.0.1:${receiver.port}/`}, '', '{}', ${`whsec_${btoa("0".repeat(24))}`}, now())`
  const [first] = yield* sql<{ id: string }>`
    INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
    SELECT ${name}, ${name} || n, CASE n WHEN 1 THEN 'broken' ELSE 'sweep.delivered' END, '{}', now() - interval '1 second', now()
    FROM generate_series(1, ${MESSAGES}) n RETURNING id::text`
  if (first === undefined) return yield* Effect.die(new Error("no delivery was stored"))
  return {
    id: first.id,
    mend: sql`UPDATE builder.webhook_deliveries SET type = 'sweep.delivered', state = 'pending', closed_at = NULL,
      lease_until = NULL, due_at = now() WHERE id = ${first.id}::bigint`,
    held: Effect.map(
      sql<{ count: number }>`
        SELECT count(*)::int AS count FROM builder.webhook_deliveries
        WHERE state = 'pending' AND endpoint_id = ${name} AND id <> ${first.id}::bigint`,
      (rows) => counted(rows, "deliveries")
    )
  } satisfies Poisoned
})

const address = () => `0x${crypto.randomUUID().replaceAll("-", "")}00000000`

type Breaking = (stage: Stage) => Effect.Effect<Poisoned, unknown, Scope.Scope>

const BREAKING: Readonly<Record<Queue, Breaking>> = {
  "outbox message": outboxMessage,
  intent,
  "relay transaction": relayTransaction,
  "webhook delivery": webhookDelivery
}

export const poisonedRow = (queue: Queue): Step => {
  let broken: string | undefined
  return {
    name: `poisoned ${queue}`,
    explains: (alarm) => broken !== undefined && names(broken)(alarm),
    mayFail: false,
    play: (stage) =>
      Effect.gen(function* () {
        const { alpha, beta } = stage.world
        const before = new Set((yield* stage.alarms.standing).map(({ key }) => key))
        const { held, id, mend } = yield* BREAKING[queue](stage)
        broken = id
        return yield* Effect.gen(function* () {
          const played = yield* Effect.forEach([alpha, beta], (place) => besides(stage, place, 0))
          const findings = yield* settling(held, GOES_ON_MILLIS)
          const silent = yield* settling(
            Effect.map(stage.alarms.standing, (alarms) =>
              alarms.some((alarm) => !before.has(alarm.key) && names(id)(alarm))
                ? []
                : [`no alert names ${queue} ${id}, which cannot be read`]
            ),
            ALERT_MILLIS
          )
          return joined([...played, { ...nothing, findings: [...findings, ...silent] }])
        }).pipe(Effect.ensuring(Effect.orDie(mend)))
      }).pipe(Effect.scoped)
  }
}
