import { Layer } from "effect"
import * as Exposures from "../../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as RelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import { suite } from "../../../ports/orchestrator/Exposures.suite.ts"

suite("memory", Layer.mergeAll(Exposures.layer, Intents.layer, RelayTransactions.layer))
