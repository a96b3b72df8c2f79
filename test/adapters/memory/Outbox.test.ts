import { Layer } from "effect"
import * as Intents from "../../../src/adapters/memory/Intents.ts"
import * as Outbox from "../../../src/adapters/memory/Outbox.ts"
import { suite } from "../../ports/Outbox.suite.ts"

suite("memory", Layer.mergeAll(Intents.layer, Outbox.layer))
