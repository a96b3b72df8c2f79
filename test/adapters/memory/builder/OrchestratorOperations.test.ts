import * as OrchestratorOperations from "../../../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { parts, suite } from "../../../ports/builder/OrchestratorOperations.suite.ts"

suite("memory", OrchestratorOperations.layer(parts))
