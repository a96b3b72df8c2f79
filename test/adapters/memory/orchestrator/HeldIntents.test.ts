import { Layer } from "effect"
import * as HeldIntents from "../../../../src/adapters/memory/orchestrator/HeldIntents.ts"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as RelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import { suite } from "../../../ports/orchestrator/HeldIntents.suite.ts"

suite("memory", Layer.mergeAll(HeldIntents.layer, Intents.layer, RelayTransactions.layer))
