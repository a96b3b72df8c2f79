import { Layer } from "effect"
import * as Intents from "../../../src/adapters/memory/Intents.ts"
import * as RelayTransactions from "../../../src/adapters/memory/RelayTransactions.ts"
import { suite } from "../../ports/RelayTransactions.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, RelayTransactions.layer))
