/** First quotes in `builder.first_quotes`, and the oldest rows of sweeps and of the ledger. */
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { FirstSteps } from "../../../ports/builder/FirstSteps.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

const decode = Rows.decode(
  Schema.Struct({
    quoted: Schema.NullOr(Rows.Millis),
    delivered: Schema.NullOr(Rows.Millis),
    earned: Schema.NullOr(Rows.Millis)
  })
)

export const layer = Layer.effect(
  FirstSteps,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const noteQuote: FirstSteps["Service"]["noteQuote"] = Effect.fn("FirstSteps.noteQuote")(function* (id, atMs) {
      yield* sql`INSERT INTO builder.first_quotes (builder_id, at) VALUES (${text(id)}, ${timestamp(atMs)})
        ON CONFLICT (builder_id) DO NOTHING`
    }, guarded("FirstSteps.noteQuote"))

    // Each part reads the first row of an index.
    const of: FirstSteps["Service"]["of"] = Effect.fn("FirstSteps.of")(function* (builderId) {
      const id = text(builderId)
      const [row] = yield* decode(
        yield* sql`SELECT
          (SELECT at FROM builder.first_quotes WHERE builder_id = ${id}) AS quoted,
          (SELECT updated_at FROM builder.sweeps WHERE builder_id = ${id} AND status = 'delivered'
            ORDER BY started_at, position LIMIT 1) AS delivered,
          (SELECT created_at FROM builder.ledger_entries WHERE builder_id = ${id} AND kind = 'accrual'
            ORDER BY id LIMIT 1) AS earned`
      )
      return Rows.present({
        firstQuoteAtMs: row?.quoted,
        firstDeliveryAtMs: row?.delivered,
        firstEarningAtMs: row?.earned
      })
    }, guarded("FirstSteps.of"))

    return FirstSteps.of({ noteQuote, of })
  })
)
