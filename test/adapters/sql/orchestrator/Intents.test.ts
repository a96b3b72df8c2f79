import { suite } from "../../../ports/orchestrator/Intents.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)
