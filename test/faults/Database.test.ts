/** Postgres stops, dies, and comes back under a service that goes on running. */
import { assert, layer } from "@effect/vitest"
import { Effect, Latch, Schedule } from "effect"
import * as Database from "../../chaos/Database.ts"
import * as SilentPostgres from "../support/SilentPostgres.ts"
import { hold, isSend, pass } from "../support/FaultProxy.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 400_000

/** No request may take longer, whatever is broken. The service's own limit is 4 seconds, without a busy machine. */
const ANSWER_MILLIS = 15_000

/** Time in which the service is back after a fault. */
const RECOVERY_MILLIS = 20_000

/** Both processes are asked at once. */
const BOTH = { concurrency: 2, discard: true } as const

const MASKED = `{"error":"internal error"}`

/** Without a database the service answers in time, and without details. */
const answersWithout = Effect.fnUntraced(function* (
  client: SweepClient.SweepClient,
  sweep: Scene.Sweep,
  quote: Effect.Effect<SweepClient.Answer>
) {
  const asked = [
    quote,
    Effect.promise(() => client.submit(sweep.signed)),
    Effect.promise(() => client.get(`/intents/${sweep.id}`)),
    Effect.promise(() => client.get(`/intents/${sweep.id}/events`))
  ]
  const answers = yield* Effect.forEach(asked, (answer) => Effect.timeout(answer, ANSWER_MILLIS), {
    concurrency: "unbounded"
  })
  assert.deepStrictEqual(
    answers.map(({ headers, status, text }) => [status, text, headers.get("retry-after")]),
    asked.map(() => [503, MASKED, "1"])
  )
})

/** Until a connection to the database that is back is made, reads are refused too. */
const answersAgain = (client: SweepClient.SweepClient, { id }: Scene.Sweep) =>
  Effect.promise(() => client.get(`/intents/${id}`)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: ({ status }) => status === 200 }),
    Effect.timeout(RECOVERY_MILLIS)
  )

layer(Scene.layer, { excludeTestServices: true })("A database", (it) => {
  it.effect(
    "that is stopped, and later dies, is used again when it is back",
    () =>
      Effect.gen(function* () {
        const database = yield* Database.place
        const first = yield* database.start
        const scene = yield* Scene.make({ databaseUrl: yield* first.server.createDatabase("kept") })
        const route = yield* scene.route
        // One only takes submissions, the other only relays them, and seldom looks for them unasked.
        const intake = yield* scene.orchestrator(route, { MIN_LANE_BALANCE_WEI: (10n ** 30n).toString() })
        const relay = yield* scene.orchestrator(route, { RELAYER_POLL_MILLIS: String(2 * RECOVERY_MILLIS) })
        const listeners = Effect.map(
          scene.sql<{ count: number }>`
            SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%intents%'`,
          ([row]) => row?.count ?? 0
        )
        const heard = listeners.pipe(
          Effect.orElseSucceed(() => 0),
          Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (count) => count === 2 }),
          Effect.timeout(RECOVERY_MILLIS)
        )
        const sweepsGoOn = Effect.gen(function* () {
          yield* heard
          const sweep = yield* scene.quote(intake.client)
          yield* scene.submit(intake.client, sweep)
          yield* Effect.timeout(scene.delivered(relay.client, sweep), RECOVERY_MILLIS)
        })
        yield* sweepsGoOn

        // It goes away while one sweep is on its way to the node and another is only quoted.
        const back = yield* Latch.make()
        yield* route.alpha.react((call) => (isSend(call) ? hold(back.await) : pass))
        const [inFlight, quoted] = yield* Effect.replicateEffect(scene.quote(intake.client), 2)
        assert.isDefined(inFlight)
        assert.isDefined(quoted)
        const request = yield* scene.quoteRequest
        const requote = Effect.promise(() => intake.client.post("/quote", SweepClient.quoteBody(request)))
        yield* scene.submit(intake.client, inFlight)
        yield* route.alpha.awaitCall((call) => isSend(call) && !call.forwarded)
        yield* first.stop
        yield* Effect.forEach([intake, relay], ({ client }) => answersWithout(client, quoted, requote), BOTH)
        yield* back.open

        const second = yield* database.start
        yield* answersAgain(intake.client, quoted)
        yield* scene.submit(intake.client, quoted)
        yield* sweepsGoOn
        for (const sweep of [inFlight, quoted]) yield* scene.delivered(relay.client, sweep)

        // It dies without a word right after it took a submission.
        const [kept, later] = yield* Effect.replicateEffect(scene.quote(intake.client), 2)
        assert.isDefined(kept)
        assert.isDefined(later)
        yield* scene.submit(intake.client, kept)
        yield* second.crash
        yield* Effect.forEach([intake, relay], ({ client }) => answersWithout(client, later, requote), BOTH)
        yield* database.start
        yield* scene.endLeases
        yield* sweepsGoOn
        yield* scene.delivered(relay.client, kept)
        yield* scene.check
      }),
    TIMEOUT
  )

  it.effect(
    "that hangs delays no answer, and is used again when it goes on",
    () =>
      Effect.gen(function* () {
        const database = yield* Database.place
        const { server } = yield* database.start
        const scene = yield* Scene.make({ databaseUrl: yield* server.createDatabase("hanging") })
        const route = yield* scene.route
        const { client } = yield* scene.orchestrator(route)
        const [before, quoted] = yield* Effect.replicateEffect(scene.quote(client), 2)
        assert.isDefined(before)
        assert.isDefined(quoted)
        yield* scene.submit(client, before)
        const request = yield* scene.quoteRequest
        const requote = Effect.promise(() => client.post("/quote", SweepClient.quoteBody(request)))

        const resume = yield* SilentPostgres.suspend(server.pid)
        // The second time, all connections are stuck already.
        yield* answersWithout(client, quoted, requote)
        yield* answersWithout(client, quoted, requote)
        assert.strictEqual((yield* Effect.promise(() => client.get("/healthz"))).status, 200)
        yield* resume

        yield* answersAgain(client, quoted)
        yield* scene.endLeases
        yield* scene.submit(client, quoted)
        for (const sweep of [before, quoted]) yield* scene.delivered(client, sweep)
        yield* scene.check
      }),
    TIMEOUT
  )
})
