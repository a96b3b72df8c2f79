/**
 * Limits the changes of builders. Each adds a record to the audit log, which is kept for good, so one builder could otherwise fill the disk.
 *
 * Removals and revocations count and are never refused: there are no more of them than creations, and they protect the builder.
 */
import { Clock, Effect, Schema } from "effect"
import { AuditLog, type AuditRecord, BUILDER_ACTOR } from "../../ports/builder/AuditLog.ts"

/** Maximum number of changes of one builder in {@link PERIOD_MILLIS}. Concurrent requests may exceed it by their number. */
export const MAX_CHANGES = 200

const PERIOD_MILLIS = 24 * 3_600_000

/** The builder has made the maximum number of changes. */
export class TooManyChanges extends Schema.TaggedError<TooManyChanges>()("TooManyChanges", {
  /** Milliseconds after which the builder can make another change. */
  retryAfterMillis: Schema.Int
}) {
  override get message(): string {
    return `a builder may make ${MAX_CHANGES} changes in 24 hours`
  }
}

/** Milliseconds until the next change is allowed, from the newest records of an actor. 0 or less if it is allowed now. */
const waitOf = (newest: ReadonlyArray<Pick<AuditRecord, "atMs">>, nowMs: number): number => {
  const oldest = newest[MAX_CHANGES - 1]
  return oldest === undefined ? 0 : oldest.atMs + PERIOD_MILLIS - nowMs
}

/** Makes the check of an actor before a change. Operators have no limit. */
export const make = Effect.map(AuditLog, (audit) =>
  Effect.fn("OwnChanges.check")(function* (actor: string) {
    if (!actor.startsWith(BUILDER_ACTOR)) return
    const newest = yield* audit.list({ actor, limit: MAX_CHANGES })
    const retryAfterMillis = waitOf(newest, yield* Clock.currentTimeMillis)
    if (retryAfterMillis > 0) return yield* new TooManyChanges({ retryAfterMillis })
  })
)
