import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { eventMessage, secretOf } from "../../../src/domain/Webhook.ts"
import { Webhooks } from "../../../src/ports/builder/Webhooks.ts"
import { event, register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { TestDatabase, migratedDatabase } from "../../support/Postgres.ts"
import * as Harness from "./Harness.ts"

const scriptOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Milliseconds. The first is over soon after a crash, and not before a busy machine has killed the process; the second outlasts any
 * delivery on a busy machine.
 */
const SHORT_LEASE = "5000"
const LONG_LEASE = "60000"

/** A script in a process of its own, which has said its first line; killed with the scope, or before. */
const spawn = Effect.fnUntraced(function* (script: string, ...args: ReadonlyArray<string>) {
  const { url } = yield* TestDatabase
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, scriptOf(script), url, ...args], { stdout: "pipe", stderr: "inherit" })
    ),
    (running) =>
      Effect.promise(() => {
        running.kill("SIGKILL")
        return running.exited
      })
  )
  const reader = child.stdout.getReader()
  const { value } = yield* Effect.promise(() => reader.read())
  return { base: new TextDecoder().decode(value).trim(), child }
})

describe("a backend that dies", () => {
  it.live("between booking an accrual and answering leaves one entry, which the repeated report finds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admin = { authorization: `Bearer ${Harness.ADMIN_TOKEN}` }
      const accrual = { builderId: "crash", sweepId: "crash_0", token: Harness.TOKEN, amount: "5" }
      const entries = sql`SELECT sweep_id FROM builder.ledger_entries`

      const dying = yield* spawn("backendProcess.ts", "hang")
      const registration = {
        id: "crash",
        name: "Crash",
        builderBps: 0,
        maxBuilderBps: 0,
        payoutAddress: FakeChain.address(0x77)
      }
      const registered = yield* Harness.askAt(dying.base, "POST /builders", { body: registration, headers: admin })
      assert.strictEqual(registered.status, 201)
      const report = yield* Effect.forkChild(
        Effect.exit(Harness.askAt(dying.base, "POST /accruals", { body: accrual, headers: admin }))
      )
      yield* entries.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("100 seconds")
      )
      dying.child.kill("SIGKILL")
      yield* Effect.promise(() => dying.child.exited)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(report)), "nobody was told")

      const next = yield* spawn("backendProcess.ts")
      const repeated = yield* Harness.askAt(next.base, "POST /accruals", { body: accrual, headers: admin })
      assert.strictEqual(repeated.status, 201)
      assert.strictEqual((yield* entries).length, 1)
      const balances = yield* Harness.askAt(next.base, "GET /builders/crash/accruals", { headers: admin })
      assert.deepStrictEqual(Harness.field(balances, "balances"), [{ token: Harness.TOKEN, amount: "5" }])
    }).pipe(Effect.scoped, Effect.provide(Harness.stores.pipe(Layer.provideMerge(migratedDatabase))))
  )

  it.live("between sending a webhook and noting it sends it again, under the same id, and then no more", () =>
    Effect.gen(function* () {
      yield* register
      const webhooks = yield* Webhooks
      const requests: Array<{ readonly id: string | null; readonly body: string }> = []
      let answers = false
      const receiver = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            hostname: "127.0.0.1",
            port: 0,
            fetch: async (request) => {
              requests.push({ id: request.headers.get("webhook-id"), body: await request.text() })
              return answers ? new Response(null, { status: 204 }) : new Promise<Response>(() => undefined)
            }
          })
        ),
        (server) => Effect.promise(() => server.stop(true))
      )
      yield* webhooks.create(
        {
          id: "whk",
          builderId: "alpha",
          url: `http://127.0.0.1:${receiver.port}/`,
          description: "",
          events: [],
          createdAtMs: 0
        },
        secretOf(new Uint8Array(32)),
        10
      )
      yield* webhooks.publish("alpha", eventMessage(event("submitted")))
      const eventually = <E>(isSo: Effect.Effect<boolean, E>) =>
        isSo.pipe(
          Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("20 millis") }),
          Effect.timeout("100 seconds")
        )

      const dying = yield* spawn("webhookProcess.ts", SHORT_LEASE)
      yield* eventually(Effect.sync(() => requests.length > 0))
      dying.child.kill("SIGKILL")
      yield* Effect.promise(() => dying.child.exited)
      answers = true
      // Two replicas share what is left.
      yield* spawn("webhookProcess.ts", LONG_LEASE)
      yield* spawn("webhookProcess.ts", LONG_LEASE)
      const log = webhooks.deliveries("alpha", "whk", { limit: 5 })
      yield* eventually(Effect.map(log, (rows) => rows.every(({ state }) => state === "delivered")))
      // Messages published later are sent after everything that was due before.
      const later = ["b", "c", "d", "e"].map((id) => event("submitted", { id }))
      yield* Effect.forEach(later, (each) => webhooks.publish("alpha", eventMessage(each)))
      yield* eventually(
        Effect.map(log, (rows) => rows.length === 5 && rows.every(({ state }) => state === "delivered"))
      )
      const [first, second, ...others] = requests
      assert.deepStrictEqual(first, second)
      assert.strictEqual(first?.id, "intent:submitted")
      assert.sameMembers(
        others.map(({ id }) => id),
        later.map(({ id }) => id)
      )
      assert.deepStrictEqual(
        (yield* log).map(({ attempts }) => attempts.length),
        [1, 1, 1, 1, 1]
      )
    }).pipe(Effect.scoped, Effect.provide(Harness.stores.pipe(Layer.provideMerge(migratedDatabase))))
  )
})
