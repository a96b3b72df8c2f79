import { Layer } from "effect"
import * as LaneBook from "../../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as Overrides from "../../../../src/adapters/memory/orchestrator/Overrides.ts"
import { suite } from "../../../ports/orchestrator/Overrides.suite.ts"

suite("memory", Layer.mergeAll(LaneBook.layer, Overrides.layer))
