/** Codec of outbox messages: jsonb in wire encoding. */
import { Schema } from "effect"
import { Accrual, Revenue } from "../../../domain/Accrual.ts"
import { SweepEvent } from "../../../domain/SweepEvent.ts"

export const OutboxMessageJson = Schema.Union([
  Schema.TaggedStruct("Accrual", { accrual: Accrual }),
  Schema.TaggedStruct("Revenue", { revenue: Revenue }),
  Schema.TaggedStruct("SweepEvent", { event: SweepEvent })
])

export const encode = Schema.encodeSync(OutboxMessageJson)
