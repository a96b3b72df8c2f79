import { suite } from "../../../ports/builder/Ledger.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores, { histories: 8, commands: 120 })
