import * as PromisedFees from "../../../../src/adapters/memory/orchestrator/PromisedFees.ts"
import { suite } from "../../../ports/orchestrator/PromisedFees.suite.ts"

suite("memory", PromisedFees.layer)
