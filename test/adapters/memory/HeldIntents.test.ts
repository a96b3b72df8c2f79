import { Layer } from "effect"
import * as HeldIntents from "../../../src/adapters/memory/HeldIntents.ts"
import * as Intents from "../../../src/adapters/memory/Intents.ts"
import * as RelayTransactions from "../../../src/adapters/memory/RelayTransactions.ts"
import { suite } from "../../ports/HeldIntents.suite.ts"

suite("memory", Layer.mergeAll(HeldIntents.layer, Intents.layer, RelayTransactions.layer))
