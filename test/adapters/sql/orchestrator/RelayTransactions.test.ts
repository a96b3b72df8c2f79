import { suite } from "../../../ports/RelayTransactions.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)
