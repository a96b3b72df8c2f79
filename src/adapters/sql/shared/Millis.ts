/** Times of rows. */
import { Schema, SchemaTransformation } from "effect"

/** `timestamptz` column as UNIX milliseconds. */
export const Millis = Schema.Date.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (date) => date.getTime(), encode: (millis) => new Date(millis) })
  )
)
