import { suite } from "../../../ports/builder/AuditLog.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores)
