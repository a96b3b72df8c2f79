import { suite } from "../../../ports/shared/AlertNotices.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", freshStores)
