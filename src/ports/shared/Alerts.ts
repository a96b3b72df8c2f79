/** What an operator must look at. An alert stands until its cause is gone, however often it is raised. */
import { Context, type Effect, Schema } from "effect"
import type { StoreUnavailable } from "./Store.ts"

export const Severity = Schema.Literals(["warning", "critical"])
export type Severity = typeof Severity.Type

export interface NewAlert {
  /** Names the cause, e.g. `lane_low:31337:0xabc…`: raising the same key again updates the alert. */
  readonly key: string
  readonly severity: Severity
  /** Groups alerts for routing, e.g. `lane_low`. */
  readonly kind: string
  /** What happened and what to do, in a sentence or two. */
  readonly message: string
  readonly details: Readonly<Record<string, string | number | boolean>>
}

export interface Alert extends NewAlert {
  readonly id: string
  /** When it was first raised since it was last cleared. */
  readonly sinceMs: number
}

export class Alerts extends Context.Service<
  Alerts,
  {
    readonly raise: (alert: NewAlert) => Effect.Effect<void, StoreUnavailable>
    readonly clear: (key: string) => Effect.Effect<void, StoreUnavailable>
    /** Standing alerts, critical first, then oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Alert>, StoreUnavailable>
  }
>()("sweep/ports/Alerts") {}
