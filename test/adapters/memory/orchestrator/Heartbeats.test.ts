import * as Heartbeats from "../../../../src/adapters/memory/orchestrator/Heartbeats.ts"
import { suite } from "../../../ports/orchestrator/Heartbeats.suite.ts"

suite("memory", Heartbeats.layer)
