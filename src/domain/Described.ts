/** Descriptions of properties and parameters, which the API's documents show. */
import { Schema } from "effect"

/**
 * Describes a property of a struct, or a parameter, without changing its schema's own description. The text is attached to the
 * encoded side, because the documents describe messages as they travel.
 */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] => {
  const encoded: Schema.Top = Schema.flip(schema)
  return schema.rebuild(Schema.flip(encoded.annotateKey({ description })).ast as S["ast"])
}
