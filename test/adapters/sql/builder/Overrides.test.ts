import { Effect } from "effect"
import { AuditLog } from "../../../../src/ports/builder/AuditLog.ts"
import { suite } from "../../../ports/shared/Overrides.suite.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

suite(
  "the builder backend's Postgres",
  freshStores,
  Effect.flatMap(AuditLog, ({ list }) => Effect.map(list({ limit: 10 }), (all) => all.map(({ action }) => action)))
)
