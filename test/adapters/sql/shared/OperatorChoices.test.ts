/** Choices of operators in a restored database, and the pause of all sweeps until they are compared. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as OrchestratorOverrides from "../../../../src/adapters/sql/shared/Overrides.ts"
import * as OperatorChoices from "../../../../src/adapters/sql/shared/OperatorChoices.ts"
import { pausedNames, pauseOf } from "../../../../src/domain/Pause.ts"
import { choicesOf } from "../../../../src/orchestrator/shared/Pauses.ts"
import { Overrides } from "../../../../src/ports/shared/Overrides.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

const LANE = `0x${"71".repeat(20)}`
const TOKEN = `0x${"d1".repeat(20)}`
const AT = new Date("2026-01-31T11:00:00Z")

const restored = OrchestratorOverrides.layer("orchestrator").pipe(Layer.provideMerge(migratedDatabase))

layer(restored, { excludeTestServices: true })("choices of operators in a restored database", (it) => {
  it.effect("are read for both services, without values that may be secret", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO orchestrator.operator_overrides (name, value, actor, reason, since) VALUES
        (${`pause:token:8453:${TOKEN}`}, 'paused', 'ops', 'exploit', ${AT}),
        ('limit:8453:dailySpendCapWei', '7', 'ops', '', ${AT}),
        ('endpoints:8453', '[{"url":"https://node.example/key"}]', 'ops', '', ${AT})`
      yield* sql`INSERT INTO builder.operator_overrides (name, value, actor, reason, since)
        VALUES ('rate_limit:public', '50', 'ops', '', ${AT})`
      yield* sql`INSERT INTO orchestrator.lane_states (lane, state, since) VALUES (${LANE}, 'draining', ${AT})`
      const common = { actor: "ops", reason: "", sinceMs: AT.getTime() }
      const orchestrator = { ...common, service: "orchestrator" }
      assert.deepStrictEqual(yield* OperatorChoices.read(sql), {
        choices: [
          { ...orchestrator, name: "endpoints:8453", value: null },
          { ...orchestrator, name: "limit:8453:dailySpendCapWei", value: "7" },
          { ...orchestrator, name: `pause:token:8453:${TOKEN}`, value: "paused", reason: "exploit" },
          { ...common, service: "builder", name: "rate_limit:public", value: "50" }
        ],
        lanes: [{ lane: LANE, state: "draining", sinceMs: AT.getTime() }]
      })
    })
  )

  it.effect("do not let a sweep pass until the pause of all is ended", () =>
    Effect.gen(function* () {
      const overrides = yield* Overrides
      yield* OperatorChoices.pauseAll(yield* PgClient.PgClient, AT.getTime(), "sweep restore")
      const facts = { chainIds: [8453], tokens: [] }
      const paused = Effect.map(overrides.all, (all) => pauseOf(pausedNames([], choicesOf(all)), facts)?.scope)
      assert.strictEqual(yield* paused, "all")
      const resumed = { name: "pause:all", value: "running", reason: "compared" }
      yield* overrides.set(resumed, { actor: "ops", action: "pause.running", subject: "all", details: {} })
      assert.isUndefined(yield* paused)
    })
  )
})
