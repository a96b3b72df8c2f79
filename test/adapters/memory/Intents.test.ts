import { Layer } from "effect"
import * as Intents from "../../../src/adapters/memory/Intents.ts"
import * as Outbox from "../../../src/adapters/memory/Outbox.ts"
import * as RelayTransactions from "../../../src/adapters/memory/RelayTransactions.ts"
import { suite } from "../../ports/Intents.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, RelayTransactions.layer, Outbox.layer))
