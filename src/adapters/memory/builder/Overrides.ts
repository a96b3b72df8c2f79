/** {@link Overrides} of the builder backend in memory, for tests. */
import { Effect, Layer } from "effect"
import { AuditLog } from "../../../ports/builder/AuditLog.ts"
import { Overrides } from "../../../ports/shared/Overrides.ts"
import * as SharedOverrides from "../shared/Overrides.ts"

export const layer = Layer.effect(
  Overrides,
  Effect.flatMap(AuditLog, ({ append }) => SharedOverrides.make((record) => append(record)))
)
