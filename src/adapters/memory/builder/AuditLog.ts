/** The audit log in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import { type AuditFilter, AuditLog, type AuditRecord, BUILDER_ACTOR } from "../../../ports/builder/AuditLog.ts"

const meets = (
  { action, actor, atMs, subject }: AuditRecord,
  { by, fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, ...wanted }: AuditFilter
): boolean =>
  (wanted.actor ?? actor) === actor &&
  (wanted.action ?? action) === action &&
  (wanted.subject ?? subject) === subject &&
  (by === undefined || actor.startsWith(BUILDER_ACTOR) === (by === "builders")) &&
  fromMs <= atMs &&
  atMs < toMs

const make = () => {
  const records: Array<AuditRecord> = []
  return AuditLog.of({
    append: (record) =>
      Effect.map(Clock.currentTimeMillis, (atMs) => {
        records.push({ ...record, id: String(records.length + 1), atMs })
      }),
    list: ({ before, limit, ...filter }) =>
      Effect.sync(() =>
        records
          .filter((record) => (before === undefined || Number(record.id) < Number(before)) && meets(record, filter))
          .toReversed()
          .slice(0, limit)
      )
  })
}

export const layer = Layer.effect(AuditLog, Effect.sync(make))
