import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Refunds from "../../../../src/adapters/sql/orchestrator/Refunds.ts"
import { suite } from "../../../ports/orchestrator/Refunds.suite.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

suite(
  "Postgres",
  Layer.mergeAll(Intents.layer, Refunds.layer).pipe(Layer.provide(Migrated.layer), Layer.provide(migratedDatabase))
)
