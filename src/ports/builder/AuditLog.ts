/** Who changed what in the builder backend. Written in the transaction of the change. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface NewAuditRecord {
  /** The operator as the gateway names it, `admin-token`, or the builder. */
  readonly actor: string
  /** For example `builder.patch`. */
  readonly action: string
  /** What was changed: a builder's, a batch's or a sweep's id. */
  readonly subject: string
  readonly details: Readonly<Record<string, string | number | boolean>>
}

export interface AuditRecord extends NewAuditRecord {
  readonly id: string
  readonly atMs: number
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly append: (record: NewAuditRecord) => Effect.Effect<void, StoreUnavailable>
    /** Newest first, from before the record `before` on. */
    readonly list: (page: {
      readonly before?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<AuditRecord>, StoreUnavailable>
  }
>()("sweep/ports/AuditLog") {}
