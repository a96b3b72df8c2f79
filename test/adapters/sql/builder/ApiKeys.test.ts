import { suite } from "../../../ports/builder/ApiKeys.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
