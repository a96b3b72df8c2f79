import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Outbox from "../../../../src/adapters/memory/orchestrator/Outbox.ts"
import * as RelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import { suite } from "../../../ports/orchestrator/Intents.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, RelayTransactions.layer, Outbox.layer))
