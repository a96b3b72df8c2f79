import { suite } from "../../../ports/builder/Webhooks.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
