/** The backend while its database is away or hangs: 503 in time and without details, and everything as before when it is back. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, FileSystem, Layer, Option, Path, Redacted, Schedule, Scope } from "effect"
import { HttpServer } from "effect/http"
import * as Database from "../../../src/adapters/sql/shared/Database.ts"
import * as Ports from "../../../src/devnet/Ports.ts"
import * as Postgres from "../../../src/devnet/Postgres.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as SilentPostgres from "../../support/SilentPostgres.ts"
import * as Harness from "./Harness.ts"

const { ask, asAdmin, asBuilder, CHAIN_ID, TOKEN } = Harness

/** The backend's own limit is 4 seconds, without a busy machine that answers all questions at once. */
const ANSWER = "20 seconds"
const RECOVERY = "30 seconds"
/** Ends a test that hangs. */
const TIMEOUT = 300_000

/** Every route that asks the database, with what it takes to get there. */
const asAnyone = ["GET /auth/nonce", "POST /auth/verify", "POST /builders/self", "POST /attribute"] as const
const asOwner = [
  "GET /me",
  "GET /me/accruals",
  "GET /me/activity",
  "GET /me/apikey",
  "POST /me/apikey/rotate",
  "GET /me/apikeys",
  "DELETE /me/apikeys/default",
  "GET /me/milestones"
] as const
const asOperator = [
  "GET /builders/x/accruals",
  "GET /admin/builders",
  "GET /admin/builders/x",
  "GET /admin/builders/x/accruals",
  "GET /admin/builders/x/entries",
  "GET /admin/payouts",
  "GET /admin/payouts/x",
  "GET /admin/payouts/x/csv",
  "GET /admin/payouts/x/safe",
  "GET /admin/revenue",
  "GET /admin/treasury",
  "GET /admin/audit",
  "GET /admin/alerts"
] as const

const registration = {
  id: "late",
  name: "Late",
  builderBps: 0,
  maxBuilderBps: 0,
  payoutAddress: FakeChain.address(0x78)
}
const accrual = { builderId: "late", sweepId: "late_0", token: TOKEN, amount: "5", chainId: CHAIN_ID }
const txHash = `0x${"ab".repeat(32)}`
const posted: ReadonlyArray<readonly [request: string, body: unknown]> = [
  ["POST /builders", registration],
  ["POST /accruals", accrual],
  ["POST /revenue", { sweepId: "late_0", chainId: CHAIN_ID, token: TOKEN, amount: "1", txHash, settledAtMs: 1 }],
  ["POST /admin/builders", registration],
  ["PATCH /admin/builders/late", { builderBps: 0 }],
  ["POST /admin/accruals/reverse", { sweepId: "late_0", reason: "a test" }],
  ["POST /admin/payouts", { chainId: CHAIN_ID, token: TOKEN }],
  ["POST /admin/payouts/x/payments", { raw: "0x02", known: 0 }],
  ["POST /admin/payouts/x/paid", { txHash }],
  ["POST /admin/payouts/x/fail", { reason: "a test" }],
  ["POST /admin/alerts/clear", { key: "x" }],
  // The audit log comes first.
  ["POST /admin/operations/intents/x/retry", undefined]
]

/** A server of PostgreSQL that can be stopped and started again, and a backend on it with one builder. */
const scene = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-test-" })
  yield* fs.chmod(root, 0o755)
  const port = yield* Ports.free
  const scope = yield* Effect.scope
  const start = Effect.gen(function* () {
    const life = yield* Scope.fork(scope)
    const server = yield* Postgres.start({ dataDirectory: path.join(root, "data"), port }).pipe(
      Effect.provideService(Scope.Scope, life)
    )
    return { server, stop: Scope.close(life, Exit.void) }
  })

  const first = yield* start
  const url = Redacted.make(yield* first.server.createDatabase("builder"))
  const running = yield* Layer.build(
    Harness.serverOnStores().pipe(Layer.provide(Harness.stores), Layer.provide(Database.layer({ url })))
  )
  const here = Effect.provideService(HttpServer.HttpServer, Context.get(running, HttpServer.HttpServer))
  const { account, cookie } = yield* here(Harness.signUp())
  const fresh = yield* here(Harness.signed(account))

  const key = { headers: { "x-api-key": `swp_${"0".repeat(64)}` } }
  const signed = { body: { ...fresh, name: "Again" }, ...key }
  const questions = [
    ...asAnyone.map((request) => [request, ask(request, request.startsWith("GET") ? {} : signed)] as const),
    ["GET /account", ask("GET /account", key)] as const,
    ...asOwner.map((request) => [request, asBuilder(cookie)(request)] as const),
    ...asOperator.map((request) => [request, asAdmin(request)] as const),
    ...posted.map(([request, body]) => [request, asAdmin(request, { body })] as const)
  ]
  /** Every route that needs the database answers 503 in time. */
  const refuses = Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      questions,
      ([request, question]) =>
        Effect.map(Effect.timeoutOption(here(question), ANSWER), (answer) =>
          Option.match(answer, {
            onNone: () => [request, "no answer"],
            onSome: ({ headers, status, text }) => [request, status, text, headers.get("retry-after")]
          })
        ),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers,
      questions.map(([request]) => [request, 503, `{"error":"internal error"}`, "1"])
    )
    const unready = yield* here(ask("GET /readyz"))
    assert.deepStrictEqual([unready.status, unready.body], [503, { error: "not ready", unready: ["database"] }])
    assert.strictEqual(unready.headers.get("retry-after"), "1")
    // Routes without a database still answer.
    assert.strictEqual((yield* here(ask("GET /healthz"))).status, 200)
    assert.strictEqual((yield* here(ask("GET /admin/builders"))).status, 401)
    assert.strictEqual((yield* here(asAdmin("POST /accruals", { body: {} }))).status, 422)
  })

  const recovers = Effect.gen(function* () {
    yield* here(ask("GET /readyz")).pipe(
      Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis") }),
      Effect.timeout(RECOVERY)
    )
    const back = yield* here(asBuilder(cookie)("GET /me")).pipe(
      Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis") }),
      Effect.timeout(RECOVERY)
    )
    assert.strictEqual(Harness.text(back, "payoutAddress"), account.address)
  })

  return { ...first, fresh, here, recovers, refuses, start }
})

describe("the backend without its database", () => {
  it.live(
    "answers 503 on every route that needs it, and goes on when it is back",
    () =>
      Effect.gen(function* () {
        const { fresh, here, recovers, refuses, start, stop } = yield* scene
        yield* stop
        yield* refuses
        yield* start
        yield* recovers
        // The nonce was not consumed by the attempts that could not be answered.
        assert.strictEqual((yield* here(ask("POST /auth/verify", { body: fresh }))).status, 200)
      }).pipe(Effect.scoped, Effect.provide(BunServices.layer)),
    TIMEOUT
  )

  it.live(
    "answers 503 while it hangs, also when all connections are stuck, and goes on when it answers again",
    () =>
      Effect.gen(function* () {
        const { recovers, refuses, server } = yield* scene
        const resume = yield* SilentPostgres.suspend(server.pid)
        yield* refuses
        yield* refuses
        yield* resume
        yield* recovers
      }).pipe(Effect.scoped, Effect.provide(BunServices.layer)),
    TIMEOUT
  )
})
