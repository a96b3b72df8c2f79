/** The audit log in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import { AuditLog, type AuditRecord } from "../../../ports/builder/AuditLog.ts"

const make = () => {
  const records: Array<AuditRecord> = []
  return AuditLog.of({
    append: (record) =>
      Effect.map(Clock.currentTimeMillis, (atMs) => {
        records.push({ ...record, id: String(records.length + 1), atMs })
      }),
    list: ({ before, limit }) =>
      Effect.sync(() =>
        records
          .filter(({ id }) => before === undefined || Number(id) < Number(before))
          .toReversed()
          .slice(0, limit)
      )
  })
}

export const layer = Layer.effect(AuditLog, Effect.sync(make))
