import { suite } from "../../../ports/builder/Payouts.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
