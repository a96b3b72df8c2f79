/** Comparisons of kept sums read the views of both services, one process at a time. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import * as BuilderMigrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as OrchestratorMigrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as KeptSums from "../../../../src/adapters/sql/shared/KeptSums.ts"
import { KeptSums as Port } from "../../../../src/ports/shared/KeptSums.ts"
import { testDatabase } from "../../../support/Postgres.ts"

const SERVICES = [
  {
    service: "orchestrator",
    migrate: OrchestratorMigrated.migrate,
    names: ["intents", "fees", "money"],
    corrupt: "INSERT INTO orchestrator.intent_counts (status, intents) VALUES ('failed', 3), ('delivered', 2)",
    difference: { sums: "intents", key: "delivered", kept: "2", counted: "0", wrong: 2 }
  },
  {
    service: "builder",
    migrate: BuilderMigrated.migrate,
    names: ["ledger", "treasury", "revenue", "sweeps", "listed", "earnings", "payable", "chainless"],
    corrupt: `INSERT INTO builder.revenue_days (day, chain_id, token, amount, sweeps)
      VALUES ('1970-01-02', 1, '0x${"0a".repeat(20)}', 7, 1)`,
    difference: { sums: "revenue", key: `1970-01-02 1 0x${"0a".repeat(20)}`, kept: "7", counted: "0", wrong: 1 }
  }
] as const

for (const { corrupt, difference, migrate, names, service } of SERVICES) {
  layer(testDatabase)(`kept sums of the ${service}`, (it) => {
    it.effect("are compared with their rows", () =>
      Effect.gen(function* () {
        yield* migrate
        const sql = yield* PgClient.PgClient
        const sums = Context.get(yield* Layer.build(KeptSums.layer(service)), Port)
        assert.deepStrictEqual(sums.names, names)
        assert.deepStrictEqual(yield* sums.differences, Option.some([]))
        yield* sql`${sql.literal(corrupt)}`
        assert.deepStrictEqual(yield* sums.differences, Option.some([difference]))

        const besides = yield* sql.withTransaction(
          Effect.andThen(
            sql`SELECT pg_advisory_xact_lock(hashtextextended(${`token-sweep.compare.${service}`}, 0))`,
            sums.differences
          )
        )
        assert.deepStrictEqual(besides, Option.none())
      })
    )
  })
}
