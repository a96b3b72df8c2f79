import { suite } from "../../../ports/builder/Sweeps.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
