import { suite } from "../../../ports/orchestrator/RelayTransactions.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)
