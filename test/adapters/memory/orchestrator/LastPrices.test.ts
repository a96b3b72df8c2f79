import * as LastPrices from "../../../../src/adapters/memory/orchestrator/LastPrices.ts"
import { suite } from "../../../ports/orchestrator/LastPrices.suite.ts"

suite("memory", LastPrices.layer)
