import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as FakeChain from "../../support/FakeChain.ts"
import { TestDatabase, testDatabase } from "../../support/Postgres.ts"
import * as Harness from "./Harness.ts"

const SCRIPT = fileURLToPath(new URL("backendProcess.ts", import.meta.url))

/** A backend in a process of its own; killed with the scope, or before. */
const spawn = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { url } = yield* TestDatabase
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => Bun.spawn([process.execPath, SCRIPT, url, ...args], { stdout: "pipe", stderr: "inherit" })),
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
  it.live(
    "between booking an accrual and answering leaves one entry, which the repeated report finds",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const admin = { authorization: `Bearer ${Harness.ADMIN_TOKEN}` }
        const accrual = { builderId: "crash", sweepId: "crash_0", token: Harness.TOKEN, amount: "5" }
        const entries = sql`SELECT sweep_id FROM builder.ledger_entries`

        const dying = yield* spawn("hang")
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
          Effect.timeout("10 seconds")
        )
        dying.child.kill("SIGKILL")
        yield* Effect.promise(() => dying.child.exited)
        assert.isTrue(Exit.isFailure(yield* Fiber.join(report)), "nobody was told")

        const next = yield* spawn()
        const repeated = yield* Harness.askAt(next.base, "POST /accruals", { body: accrual, headers: admin })
        assert.strictEqual(repeated.status, 201)
        assert.strictEqual((yield* entries).length, 1)
        const balances = yield* Harness.askAt(next.base, "GET /builders/crash/accruals", { headers: admin })
        assert.deepStrictEqual(Harness.field(balances, "balances"), [{ token: Harness.TOKEN, amount: "5" }])
      }).pipe(Effect.scoped, Effect.provide(Harness.stores.pipe(Layer.provideMerge(testDatabase)))),
    60_000
  )
})
