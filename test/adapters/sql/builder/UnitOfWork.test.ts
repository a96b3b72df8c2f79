import { suite } from "../../../ports/builder/UnitOfWork.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite("Postgres", () => freshStores, { rollsBack: true })
