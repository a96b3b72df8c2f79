import { suite } from "../../../ports/shared/Alerts.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", freshStores)
