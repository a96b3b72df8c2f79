import { suite } from "../../../ports/builder/Sessions.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
