/** Limits that two processes of the orchestrator keep together: requests of clients in Redis, and money at risk in PostgreSQL. */
import { assert, layer } from "@effect/vitest"
import { Effect, Latch, Schedule } from "effect"
import * as FaultProxy from "../support/FaultProxy.ts"
import { ADMIN_TOKEN } from "../support/OrchestratorProcess.ts"
import * as SharedStore from "../support/SharedStore.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 400_000

const EVERY = Schedule.spaced("20 millis")

/** Requests of a window in this test: the fewest that an operator may choose. */
const REQUESTS = 30

interface Process {
  readonly url: string
}

const ask = ({ url }: Process, path: string, init: RequestInit = {}) =>
  Effect.promise(() => fetch(`${url}${path}`, init))

const operator = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** A request of a client; its answer as `passes` or `refused`. */
const request = (process: Process, client: string) =>
  Effect.map(ask(process, "/intents/none", { headers: { "x-forwarded-for": client } }), ({ status }) =>
    status === 429 ? "refused" : "passes"
  )

/** Requests of one client to the processes in turn. Returns how many pass. */
const passing = (processes: ReadonlyArray<Process>, client: string, requests: number) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: requests }, (_, index) => processes[index % processes.length]),
      (process) => (process === undefined ? Effect.die("a process is missing") : request(process, client))
    ),
    (answers) => answers.filter((answer) => answer === "passes").length
  )

/**
 * One more client than the limit allows to both processes in turn, until exactly the limit passes. A process counts a request alone if Redis
 * does not answer within 50 ms, which a busy machine does not always. Processes that never count together let all requests of every client pass.
 */
const countTogether = (processes: ReadonlyArray<Process>, network: string) =>
  Effect.gen(function* () {
    let host = 0
    yield* Effect.suspend(() => passing(processes, `${network}.${++host}`, REQUESTS + 6)).pipe(
      Effect.tap((passed) => Effect.sync(() => assert.isAtLeast(passed, REQUESTS))),
      Effect.repeat({ until: (passed) => passed === REQUESTS, times: 40 }),
      Effect.map((passed) => assert.strictEqual(passed, REQUESTS))
    )
  })

layer(Scene.layer, { excludeTestServices: true })("Two processes", (it) => {
  it.effect(
    "count a client's requests together, each alone while Redis is away, and together again",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const redis = yield* SharedStore.start
        const env = { REDIS_URL: redis.url, RATE_LIMIT: "100", TRUSTED_PROXY_HOPS: "1" }
        const processes = yield* Effect.all([scene.orchestrator(route, env), scene.orchestrator(route, env)], {
          concurrency: 2
        })
        const [one, other] = processes
        const said = (event: string) =>
          Effect.forEach(processes, ({ output }) =>
            Effect.map(output, (lines) => lines.filter((line) => line.includes(event)).length)
          )
        const policyOf = (process: Process) =>
          Effect.map(ask(process, "/intents/none"), ({ headers }) => headers.get("ratelimit-policy"))

        // A change by the operator soon holds on the other process.
        assert.strictEqual(yield* policyOf(other), `"default";q=100;w=60`)
        const changed = yield* ask(
          one,
          "/admin/rate-limits",
          operator({ policy: "orchestrator", requests: REQUESTS, reason: "a scraper" })
        )
        assert.strictEqual(changed.status, 200)
        yield* policyOf(other).pipe(
          Effect.repeat({ schedule: EVERY, until: (policy) => policy === `"default";q=${REQUESTS};w=60` }),
          Effect.timeout("20 seconds")
        )

        yield* countTogether(processes, "198.51.100")

        yield* redis.stop
        // No request fails or hangs, and each process has a window of its own.
        for (const process of processes) {
          assert.strictEqual(yield* passing([process], "192.0.2.1", REQUESTS + 6), REQUESTS)
        }
        // A busy machine may have been away for a moment before.
        const isAway = (alone: ReadonlyArray<number>, shared: ReadonlyArray<number>) =>
          alone.every((count, index) => count > (shared[index] ?? 0))
        const isBack = (alone: ReadonlyArray<number>, shared: ReadonlyArray<number>) =>
          alone.every((count, index) => count === shared[index])
        const until = (holds: typeof isAway) =>
          Effect.all([said("rate_limits.local"), said("rate_limits.shared")]).pipe(
            Effect.repeat({ schedule: EVERY, until: ([alone, shared]) => holds(alone, shared) })
          )
        yield* until(isAway)

        yield* redis.restart
        yield* until(isBack)
        yield* countTogether(processes, "203.0.113")
      }),
    TIMEOUT
  )

  it.effect(
    "never put more at risk than the budget that they share, whatever is submitted to both at once",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        // Nothing reaches a node, so that every sweep that was signed keeps its reservation.
        const sends = yield* Latch.make()
        yield* route.alpha.react((call) => (FaultProxy.isSend(call) ? FaultProxy.hold(sends.await) : FaultProxy.pass))
        const alone = { RELAYER_BATCH: "1" }
        const processes = yield* Effect.all([scene.orchestrator(route, alone), scene.orchestrator(route, alone)], {
          concurrency: 2
        })
        const [one, other] = processes
        const clientOf = (index: number) => (index % 2 === 0 ? one : other).client
        const first = yield* scene.quote(one.client)
        const rest = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, index) => clientOf(index)),
          scene.quote,
          { concurrency: 4 }
        )

        const reserved = Effect.map(
          scene.sql<{ id: string; wei: string }>`SELECT intent_id AS id, wei::text FROM orchestrator.exposures`,
          (rows) => rows.map(({ id, wei }) => ({ id, wei: BigInt(wei) }))
        )
        const signed = Effect.map(
          scene.sql<{ id: string }>`SELECT intent_id AS id FROM orchestrator.relay_transaction_intents`,
          (rows) => rows.map(({ id }) => id)
        )
        yield* scene.submit(one.client, first)
        yield* signed.pipe(Effect.repeat({ schedule: EVERY, until: (ids) => ids.length > 0 }))
        const worst = (yield* reserved).reduce((most, { wei }) => (wei > most ? wei : most), 0n)
        assert.isAbove(Number(worst), 0)

        // Half of the limit is the budget of a class of first sweeps: it has room for three of them and a half.
        const limit = worst * 7n
        const set = (wei: bigint) =>
          ask(
            one,
            "/admin/limits",
            operator({
              subject: { chainId: scene.alpha.info.id, limit: "firstSweepsLossBudgetWei" },
              wei: String(wei),
              reason: "a test"
            })
          )
        const shows = (process: Process, wei: bigint) =>
          Effect.promise(() =>
            fetch(`${process.url}/admin/limits`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }).then(
              (answer) => answer.text()
            )
          ).pipe(
            Effect.repeat({ schedule: EVERY, until: (text) => text.includes(`"${wei}"`) }),
            Effect.timeout("20 seconds")
          )
        assert.strictEqual((yield* set(limit)).status, 200)
        yield* shows(other, limit)

        yield* Effect.forEach(rest, (sweep, index) => scene.submit(clientOf(index), sweep), {
          concurrency: "unbounded"
        })
        // Every sweep was signed, or put off for the budget.
        const judged = new Set<string>()
        let most = 0n
        yield* Effect.gen(function* () {
          const postponed = yield* scene.sql<{ id: string }>`
            SELECT intent_id AS id FROM orchestrator.intent_queue WHERE not_before IS NOT NULL`
          for (const { id } of postponed) judged.add(id)
          for (const id of yield* signed) judged.add(id)
          const sum = (yield* reserved).reduce((total, { wei }) => total + wei, 0n)
          if (sum > most) most = sum
        }).pipe(Effect.repeat({ schedule: EVERY, until: () => rest.every(({ id }) => judged.has(id)) }))
        assert.isAtMost(Number(most), Number(limit / 2n))
        assert.isBelow((yield* signed).length, 1 + rest.length)

        // A larger budget lets the others go.
        yield* set(10n ** 21n)
        yield* sends.open
        for (const [index, sweep] of [first, ...rest].entries()) yield* scene.delivered(clientOf(index), sweep)
        assert.lengthOf((yield* scene.check).settlements, 1 + rest.length)
      }),
    TIMEOUT
  )
})
