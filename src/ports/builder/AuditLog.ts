/** Record of who changed what in the builder backend. Written in the transaction of the change. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface NewAuditRecord {
  /** The operator that the gateway named, `admin-token`, or `builder:` and the builder's id. */
  readonly actor: string
  /** For example `builder.patch`. */
  readonly action: string
  /** Id of the builder, batch or sweep that was changed. */
  readonly subject: string
  readonly details: Readonly<Record<string, string | number | boolean>>
}

export interface AuditRecord extends NewAuditRecord {
  readonly id: string
  readonly atMs: number
}

/** Prefix of the actors that are builders. All others are operators. */
export const BUILDER_ACTOR = "builder:"

/** Conditions that a listed record must meet. */
export interface AuditFilter {
  readonly actor?: string
  /** Operators only, or builders only. */
  readonly by?: "operators" | "builders"
  readonly action?: string
  readonly subject?: string
  /** Written at this time or later, in UNIX milliseconds. */
  readonly fromMs?: number
  /** Written before this time, in UNIX milliseconds. */
  readonly toMs?: number
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Adds a record. Records are never changed or removed. */
    readonly append: (record: NewAuditRecord) => Effect.Effect<void, StoreUnavailable>
    /** Up to `limit` records that meet the filter, newest first; with `before`, those older than the record of that id. */
    readonly list: (
      page: AuditFilter & {
        readonly before?: string
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, StoreUnavailable>
  }
>()("sweep/ports/AuditLog") {}
