import { suite } from "../../../ports/builder/Builders.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
