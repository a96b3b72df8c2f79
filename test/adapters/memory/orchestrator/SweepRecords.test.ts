import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as RelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import * as SweepRecords from "../../../../src/adapters/memory/orchestrator/SweepRecords.ts"
import { suite } from "../../../ports/orchestrator/SweepRecords.suite.ts"

suite("memory", Layer.mergeAll(SweepRecords.layer, Intents.layer, RelayTransactions.layer))
