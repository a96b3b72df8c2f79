import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as TreasurySales from "../../../../src/adapters/memory/orchestrator/TreasurySales.ts"
import { suite } from "../../../ports/orchestrator/TreasurySales.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, TreasurySales.layer))
