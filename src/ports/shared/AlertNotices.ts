/** The queue of notices about alerts, with a lease for each alert and destination. */
import { Context, type Effect } from "effect"
import type { Told } from "../../domain/AlertNotice.ts"
import type { Alert } from "./Alerts.ts"
import type { StoreUnavailable } from "./Store.ts"

/** An alert with the record of its notices to one destination. */
export interface Followed {
  readonly alert: Alert & {
    /** UNIX time in milliseconds. Absent while the alert stands. */
    readonly clearedAtMs?: number | undefined
  }
  /** Absent if no attempt was ever made. */
  readonly told: Told | undefined
  /** True while a process has the lease, and may be sending a notice. */
  readonly isLeased: boolean
}

/** Names an alert and a destination. */
export interface Subject {
  readonly alertId: string
  readonly destination: string
}

export class AlertNotices extends Context.Service<
  AlertNotices,
  {
    /** Standing alerts, and cleared ones whose end the destination was not told. Critical first, then oldest first. */
    readonly open: (destination: string) => Effect.Effect<ReadonlyArray<Followed>, StoreUnavailable>
    /**
     * Leases a record for one attempt. False if another process has the lease, or attempted since `told` was read. An expired lease can
     * be taken.
     */
    readonly claim: (
      subject: Subject,
      told: Told | undefined,
      leaseMillis: number
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Replaces the record that was `before`, and ends the lease. Does nothing if another process recorded an attempt meanwhile. */
    readonly record: (subject: Subject, before: Told, after: Told) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/AlertNotices") {}
