import { suite } from "../../../ports/orchestrator/Outbox.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)
