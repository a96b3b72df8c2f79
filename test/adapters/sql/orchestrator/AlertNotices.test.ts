import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as AlertNotices from "../../../../src/adapters/sql/orchestrator/AlertNotices.ts"
import * as Notices from "../../../../src/ports/shared/AlertNotices.ts"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { suite } from "../../../ports/shared/AlertNotices.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const stores = AlertNotices.layer.pipe(Layer.provideMerge(freshStores))

suite("Postgres", stores)

it.effect("an alert that cannot be read hides no other", () =>
  Effect.gen(function* () {
    const alerts = yield* Alerts
    const notices = yield* Notices.AlertNotices
    const sql = yield* PgClient.PgClient
    const severity = "critical" as const
    yield* alerts.raise({ key: "broken", severity, kind: "lane_low", message: "", details: {} })
    yield* alerts.raise({ key: "well", severity, kind: "lane_low", message: "", details: {} })
    yield* sql`UPDATE orchestrator.alerts SET details = '{"list": [1]}' WHERE key = 'broken'`
    assert.deepStrictEqual(
      (yield* notices.open("slack")).map(({ alert }) => alert.key),
      ["well"]
    )
  }).pipe(Effect.provide(stores))
)
