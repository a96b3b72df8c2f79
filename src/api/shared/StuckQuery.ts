/** Query of the list of stuck sweeps, at the orchestrator and through the console. */
import { Schema, SchemaTransformation } from "effect"
import { described } from "../../domain/Described.ts"

/** A count in a query string. */
const CountText = (least: number, most: number) => {
  const message = `expected an integer from ${least} to ${most}`
  return Schema.String.check(Schema.isPattern(/^[0-9]{1,9}$/, { message })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most }, { message })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )
}

export const stuckQuery = {
  state: described(Schema.optionalKey(Schema.Literal("stuck")), "Always stuck."),
  olderThanSeconds: described(
    Schema.optionalKey(CountText(0, 86_400)),
    "Seconds in one status after which an intent counts as stuck. Default: 120."
  ),
  limit: described(Schema.optionalKey(CountText(1, 200)), "Maximum number of intents, at most 200. Default: 50.")
}
