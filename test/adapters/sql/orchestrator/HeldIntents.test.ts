import { Layer } from "effect"
import * as HeldIntents from "../../../../src/adapters/sql/orchestrator/HeldIntents.ts"
import { suite } from "../../../ports/orchestrator/HeldIntents.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", Layer.provideMerge(HeldIntents.layer, freshStores))
