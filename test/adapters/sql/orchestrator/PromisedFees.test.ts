import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as PromisedFees from "../../../../src/adapters/sql/orchestrator/PromisedFees.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"
import { suite } from "../../../ports/orchestrator/PromisedFees.suite.ts"

suite(
  "Postgres",
  Layer.mergeAll(PromisedFees.layer, Intents.layer).pipe(Layer.provide(Migrated.layer), Layer.provide(migratedDatabase))
)
