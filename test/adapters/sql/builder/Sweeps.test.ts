import { Layer } from "effect"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import { testDatabase } from "../../../support/Postgres.ts"
import { suite } from "../../../ports/builder/Sweeps.suite.ts"

suite("Postgres", () => Stores.layer.pipe(Layer.provideMerge(Migrated.layer), Layer.provideMerge(testDatabase)))
