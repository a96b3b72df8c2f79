/** The builder backend's stores on a fresh database of a real PostgreSQL. */
import { Layer } from "effect"
import * as Migrated from "../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../src/adapters/sql/builder/Stores.ts"
import { migratedDatabase } from "./Postgres.ts"

export const freshStores = Stores.layer.pipe(Layer.provideMerge(Migrated.layer), Layer.provideMerge(migratedDatabase))
