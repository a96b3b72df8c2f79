import { suite } from "../../../ports/builder/RevenueBook.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
