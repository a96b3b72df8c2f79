import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { suite } from "../../../ports/shared/Alerts.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)

it.effect("an alert whose row cannot be read hides no other", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { clear, list, raise } = yield* Alerts
    const keys = Effect.map(list, (alerts) => alerts.map(({ key }) => key))
    const alert = { severity: "warning", kind: "lane_low", message: "", details: {} } as const
    yield* raise({ key: "broken", ...alert })
    yield* raise({ key: "well", ...alert })
    yield* sql`UPDATE orchestrator.alerts SET details = '{"list": [1]}' WHERE key = 'broken'`
    assert.deepStrictEqual(yield* keys, ["well"])
    // It is read again once it is raised again, and can be cleared by its key.
    yield* raise({ key: "broken", ...alert })
    assert.deepStrictEqual(yield* keys, ["broken", "well"])
    yield* clear("broken")
    assert.deepStrictEqual(yield* keys, ["well"])
  }).pipe(Effect.provide(freshStores))
)
