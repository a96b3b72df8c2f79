import { suite } from "../../../ports/shared/Alerts.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite("Postgres", freshStores)
