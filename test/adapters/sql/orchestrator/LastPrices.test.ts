import { Layer } from "effect"
import * as LastPrices from "../../../../src/adapters/sql/orchestrator/LastPrices.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"
import { suite } from "../../../ports/orchestrator/LastPrices.suite.ts"

suite("Postgres", LastPrices.layer.pipe(Layer.provide(Migrated.layer), Layer.provide(migratedDatabase)))
