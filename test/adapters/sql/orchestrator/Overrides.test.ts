import { Layer } from "effect"
import * as LaneBook from "../../../../src/adapters/sql/orchestrator/LaneBook.ts"
import * as Overrides from "../../../../src/adapters/sql/orchestrator/Overrides.ts"
import { suite } from "../../../ports/orchestrator/Overrides.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", Layer.mergeAll(LaneBook.layer, Overrides.layer).pipe(Layer.provideMerge(freshStores)))
