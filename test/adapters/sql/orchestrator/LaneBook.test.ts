import { Layer } from "effect"
import * as LaneBook from "../../../../src/adapters/sql/orchestrator/LaneBook.ts"
import { suite } from "../../../ports/orchestrator/LaneBook.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", LaneBook.layer.pipe(Layer.provideMerge(freshStores)))
