/** The orchestrator's stores on a fresh database of a real PostgreSQL. */
import { Layer } from "effect"
import * as Alerts from "../../src/adapters/sql/orchestrator/Alerts.ts"
import * as Exposures from "../../src/adapters/sql/orchestrator/Exposures.ts"
import * as Intents from "../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Outbox from "../../src/adapters/sql/orchestrator/Outbox.ts"
import * as RelayTransactions from "../../src/adapters/sql/orchestrator/RelayTransactions.ts"
import { migratedDatabase } from "./Postgres.ts"

/** For a database that is there already. */
export const stores = Layer.mergeAll(
  Intents.layer,
  RelayTransactions.layer,
  Outbox.layer,
  Alerts.layer,
  Exposures.layer
).pipe(Layer.provide(Migrated.layer))

export const freshStores = stores.pipe(Layer.provideMerge(migratedDatabase))
