import { Layer } from "effect"
import * as BridgeFlights from "../../../../src/adapters/sql/orchestrator/BridgeFlights.ts"
import * as Intents from "../../../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { LIMIT, suite } from "../../../ports/orchestrator/BridgeFlights.suite.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

suite(
  "Postgres",
  Layer.mergeAll(Intents.layer, BridgeFlights.layer(LIMIT)).pipe(
    Layer.provide(Migrated.layer),
    Layer.provide(migratedDatabase)
  )
)
