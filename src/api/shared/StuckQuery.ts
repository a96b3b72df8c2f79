/** Which stuck sweeps an operator asks for, at the orchestrator or through the console. */
import { Schema, SchemaTransformation } from "effect"

/** A count as queries carry it. */
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
  state: Schema.optionalKey(Schema.Literal("stuck")),
  olderThanSeconds: Schema.optionalKey(CountText(0, 86_400)),
  limit: Schema.optionalKey(CountText(1, 200))
}
