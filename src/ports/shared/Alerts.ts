/** Conditions that an operator must look at. An alert stands from when it is raised until it is cleared. */
import { Context, type Effect, Schema } from "effect"
import type { AlertKind } from "../../domain/AlertKind.ts"
import type { StoreUnavailable } from "./Store.ts"

/** `critical` alerts need action now; `warning` alerts can wait. */
export const Severity = Schema.Literals(["warning", "critical"])
export type Severity = typeof Severity.Type

interface Told {
  /** Identifies the cause, e.g. `lane_low:31337:0xabc…`. At most one alert of a key stands. */
  readonly key: string
  readonly severity: Severity
  /** Groups alerts for routing, e.g. `lane_low`. */
  readonly kind: string
  /** One or two sentences: what happened and what to do. */
  readonly message: string
  /** Values for machines and for the message's reader. */
  readonly details: Readonly<Record<string, string | number | boolean>>
}

export interface NewAlert extends Told {
  readonly kind: AlertKind
}

/** A standing alert. One that another version raised may be of a kind that this version does not have. */
export interface Alert extends Told {
  readonly id: string
  /** UNIX time in milliseconds of the first `raise` since the alert was last cleared. */
  readonly sinceMs: number
}

export class Alerts extends Context.Service<
  Alerts,
  {
    /** Raises an alert. Idempotent: if an alert of the key stands, its fields are updated and `sinceMs` stays. */
    readonly raise: (alert: NewAlert) => Effect.Effect<void, StoreUnavailable>
    /**
     * Sets some of the values in the details of the alert with this id. Does nothing if the alert was cleared, also if another one of its
     * key stands.
     */
    readonly amend: (id: string, details: NewAlert["details"]) => Effect.Effect<void, StoreUnavailable>
    /** Clears the alert of the key. Does nothing if none stands. */
    readonly clear: (key: string) => Effect.Effect<void, StoreUnavailable>
    /** Standing alerts, critical first, then oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Alert>, StoreUnavailable>
  }
>()("sweep/ports/Alerts") {}
