import { Layer } from "effect"
import * as Intents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Outbox from "../../../../src/adapters/memory/orchestrator/Outbox.ts"
import { suite } from "../../../ports/orchestrator/Outbox.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, Outbox.layer))
