/** {@link KeptSums} by the views that compare sums with rows. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { KeptSums, type KeptSumsShape, type SumDifference } from "../../../ports/shared/KeptSums.ts"
import { mapped, unlimited } from "./Database.ts"

/** Time limit of a comparison, as PostgreSQL reads it. A longer one would hold up the removal of dead rows. */
const LIMIT = "5min"

/** Names of the kept sums of each service, and the relation that compares them. */
const SERVICES = {
  orchestrator: {
    names: ["intents", "fees", "money"],
    compared: `(
      SELECT 'intents' AS sums, status::text AS key, kept, counted FROM orchestrator.intent_count_differences
      UNION ALL SELECT 'fees', key, kept, counted FROM orchestrator.treasury_fee_differences
      UNION ALL SELECT 'money', key, kept, counted FROM orchestrator.money_differences
    )`
  },
  builder: {
    names: ["ledger", "treasury", "revenue", "sweeps", "listed", "earnings", "payable", "chainless"],
    compared: `(
      SELECT sums, key, kept, counted FROM builder.sum_differences
      UNION ALL SELECT 'listed', key, kept, counted FROM builder.listed_differences
      UNION ALL SELECT 'earnings', key, kept, counted FROM builder.earning_day_differences
      UNION ALL SELECT 'payable', key, kept, counted FROM builder.payable_differences
      UNION ALL SELECT 'chainless', key, kept, counted FROM builder.chainless_differences
    )`
  }
}

type Service = keyof typeof SERVICES

/** It has a connection of its own, because statements of the pool may take only seconds. */
const compare = Effect.fnUntraced(
  function* (service: Service) {
    const sql = yield* unlimited
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL statement_timeout = ${sql.literal(`'${LIMIT}'`)}`
        const [turn] = yield* sql<{ taken: boolean }>`
          SELECT pg_try_advisory_xact_lock(hashtextextended(${`token-sweep.compare.${service}`}, 0)) AS taken`
        if (turn?.taken !== true) return Option.none<ReadonlyArray<SumDifference>>()
        return Option.some(
          yield* sql<SumDifference>`
            SELECT DISTINCT ON (sums) sums, key, kept::text AS kept, counted::text AS counted,
              (count(*) OVER (PARTITION BY sums))::int AS wrong
            FROM ${sql.literal(SERVICES[service].compared)} AS differences ORDER BY sums, key`
        )
      })
    )
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** Requires the schema of `Migrated.layer`. */
export const layer = (service: Service) =>
  Layer.effect(
    KeptSums,
    Effect.map(PgClient.PgClient, (sql): KeptSumsShape => ({
      names: SERVICES[service].names,
      differences: mapped("KeptSums.differences")(Effect.provideService(compare(service), PgClient.PgClient, sql))
    }))
  )
