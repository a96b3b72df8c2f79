import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as KeptData from "../../../../src/adapters/memory/orchestrator/KeptData.ts"
import * as Outbox from "../../../../src/adapters/memory/orchestrator/Outbox.ts"
import { suite } from "../../../ports/orchestrator/KeptData.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, KeptData.layer, Outbox.layer))
