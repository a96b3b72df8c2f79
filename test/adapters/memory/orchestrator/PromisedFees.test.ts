import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as PromisedFees from "../../../../src/adapters/memory/orchestrator/PromisedFees.ts"
import { suite } from "../../../ports/orchestrator/PromisedFees.suite.ts"

suite("memory", Layer.mergeAll(PromisedFees.layer, Intents.layer))
