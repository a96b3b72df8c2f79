import { Layer } from "effect"
import * as Heartbeats from "../../../../src/adapters/sql/orchestrator/Heartbeats.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { suite } from "../../../ports/orchestrator/Heartbeats.suite.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

suite("Postgres", Heartbeats.layer.pipe(Layer.provide(Migrated.layer), Layer.provide(migratedDatabase)))
