/** Optional fields of requests. */
import { Option, Predicate, Schema, SchemaGetter } from "effect"

/**
 * Optional field of a request. Null is read as absent, because many clients write null for a value that they do not have. It is
 * never written.
 */
export const optional = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    // With the name of the schema, the documents would show this field's null at each use of that name.
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema).annotate({ identifier: undefined })), {
      decode: SchemaGetter.transformOptional(Option.filter(Predicate.isNotNull)),
      encode: SchemaGetter.passthroughSubtype()
    })
  )
