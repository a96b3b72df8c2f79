import { suite } from "../../../ports/orchestrator/Exposures.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)
