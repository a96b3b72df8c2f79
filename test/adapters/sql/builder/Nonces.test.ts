import { suite } from "../../../ports/builder/Nonces.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
