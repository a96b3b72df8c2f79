import { suite } from "../../../ports/builder/FirstSteps.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
