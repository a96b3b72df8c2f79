import { Effect, Layer } from "effect"
import * as AuditLogs from "../../../../src/adapters/memory/builder/AuditLog.ts"
import * as Overrides from "../../../../src/adapters/memory/builder/Overrides.ts"
import { AuditLog } from "../../../../src/ports/builder/AuditLog.ts"
import { suite } from "../../../ports/shared/Overrides.suite.ts"

suite(
  "the builder backend's memory",
  Overrides.layer.pipe(Layer.provideMerge(AuditLogs.layer)),
  Effect.flatMap(AuditLog, ({ list }) => Effect.map(list({ limit: 10 }), (all) => all.map(({ action }) => action)))
)
