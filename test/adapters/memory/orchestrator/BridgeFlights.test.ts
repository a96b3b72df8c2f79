import { Layer } from "effect"
import * as BridgeFlights from "../../../../src/adapters/memory/orchestrator/BridgeFlights.ts"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import { LIMIT, suite } from "../../../ports/orchestrator/BridgeFlights.suite.ts"

suite("memory", BridgeFlights.layer(LIMIT).pipe(Layer.provideMerge(Intents.layer)))
