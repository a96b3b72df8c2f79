import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as LaneBook from "../../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as RelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import { suite } from "../../../ports/orchestrator/LaneBook.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, LaneBook.layer, RelayTransactions.layer))
