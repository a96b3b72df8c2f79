/** Steps of a new builder from its key to its first earning, as the service observed them. */
import { Schema } from "effect"
import { described } from "./Described.ts"

const time = (what: string) =>
  described(Schema.optionalKey(Schema.Int), `UNIX time in milliseconds of ${what}. Absent until then.`)

export const Milestones = Schema.Struct({
  keyCreatedAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds when the oldest key with the scope `quote` was created. Absent if every such key is revoked."
  ),
  firstQuoteAtMs: time("the first quote that a key attributed, accurate to about a minute"),
  firstDeliveryAtMs: time("the first delivery of an attributed sweep"),
  firstEarningAtMs: time("the first accrual")
}).annotate({ identifier: "Milestones" })
export type Milestones = typeof Milestones.Type
