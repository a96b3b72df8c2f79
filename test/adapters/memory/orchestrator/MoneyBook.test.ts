import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as KeptData from "../../../../src/adapters/memory/orchestrator/KeptData.ts"
import * as MoneyBook from "../../../../src/adapters/memory/orchestrator/MoneyBook.ts"
import * as RelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import { suite } from "../../../ports/orchestrator/MoneyBook.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, KeptData.layer, MoneyBook.layer, RelayTransactions.layer))
