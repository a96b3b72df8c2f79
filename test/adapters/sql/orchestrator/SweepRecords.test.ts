import { Layer } from "effect"
import * as SweepRecords from "../../../../src/adapters/sql/orchestrator/SweepRecords.ts"
import { suite } from "../../../ports/orchestrator/SweepRecords.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", Layer.provideMerge(SweepRecords.layer, freshStores))
