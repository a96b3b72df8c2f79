/**
 * Limits the changes of builders. Each adds a record to the audit log, which is kept for good, so one builder could otherwise fill the disk.
 *
 * Changes that protect the builder are not used up by others. Removals and revocations are not counted and never refused: there are no more
 * of them than creations. Disabling a webhook is never refused: it has to be enabled before it can be disabled again. Rotations of keys
 * and secrets have a reserve.
 */
import { Clock, Effect, Schema } from "effect"
import { AuditLog, type AuditRecord, BUILDER_ACTOR } from "../../ports/builder/AuditLog.ts"

/** Maximum number of changes of one builder in {@link PERIOD_MILLIS}. Concurrent requests may exceed it by their number. */
export const MAX_CHANGES = 200

/** Number of rotations that are allowed beyond {@link MAX_CHANGES}. */
export const ROTATION_RESERVE = 20

const PERIOD_MILLIS = 24 * 3_600_000

const UNCOUNTED: ReadonlySet<string> = new Set(["webhook.remove", "builder.revoke_key"])

/**
 * Maximum number of records that are read. Each removal and revocation follows a creation, or concerns one of the keys and webhooks from
 * before, of which there are fewer than 100.
 */
const MOST_READ = 2 * (MAX_CHANGES + ROTATION_RESERVE) + 100

/** The builder has made the maximum number of changes. */
export class TooManyChanges extends Schema.TaggedError<TooManyChanges>()("TooManyChanges", {
  /** Milliseconds after which the builder can make another change. */
  retryAfterMillis: Schema.Int
}) {
  override get message(): string {
    return `a builder may make ${MAX_CHANGES} changes in 24 hours`
  }
}

/** Milliseconds until a change is allowed, from the newest records of an actor. 0 or less if it is allowed now. */
const waitOf = (newest: ReadonlyArray<Pick<AuditRecord, "action" | "atMs">>, limit: number, nowMs: number): number => {
  const oldest = newest.filter(({ action }) => !UNCOUNTED.has(action))[limit - 1]
  return oldest === undefined ? 0 : oldest.atMs + PERIOD_MILLIS - nowMs
}

/** Makes the check of an actor before a change. Operators have no limit. */
export const make = Effect.map(AuditLog, (audit) =>
  Effect.fn("OwnChanges.check")(function* (actor: string, kind: "change" | "rotation" = "change") {
    if (!actor.startsWith(BUILDER_ACTOR)) return
    const nowMs = yield* Clock.currentTimeMillis
    const newest = yield* audit.list({ actor, limit: MOST_READ })
    const retryAfterMillis = waitOf(newest, MAX_CHANGES + (kind === "rotation" ? ROTATION_RESERVE : 0), nowMs)
    if (retryAfterMillis > 0) return yield* new TooManyChanges({ retryAfterMillis })
  })
)
