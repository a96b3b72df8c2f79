import { Layer } from "effect"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import { testDatabase } from "../../../support/Postgres.ts"
import * as SweepsSuite from "../../../ports/builder/Sweeps.suite.ts"
import * as WebhooksSuite from "../../../ports/builder/Webhooks.suite.ts"

const stores = () => Stores.layer.pipe(Layer.provideMerge(Migrated.layer), Layer.provideMerge(testDatabase))

SweepsSuite.suite("Postgres", stores)
WebhooksSuite.suite("Postgres", stores)
