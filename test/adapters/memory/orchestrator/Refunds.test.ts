import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Refunds from "../../../../src/adapters/memory/orchestrator/Refunds.ts"
import { suite } from "../../../ports/orchestrator/Refunds.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, Refunds.layer))
