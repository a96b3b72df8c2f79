/** Arrays of requests. Their length is checked before their elements, so an array that is too long costs no more than one that is not. */
import { Effect, Schema, SchemaAST, SchemaIssue } from "effect"

type Checks = ReadonlyArray<SchemaAST.Check<ReadonlyArray<unknown>>>

const MAX_LENGTH = "effect/schema/isMaxLength"

/** The check of the maximum length. */
const maximumOf = (checks: Checks): SchemaAST.Filter<ReadonlyArray<unknown>> => {
  const found = checks.find(({ annotations }) => annotations?.representation?.id === MAX_LENGTH)
  if (found?._tag !== "Filter") throw new Error("The array has no maximum length. Add the check isMaxLength.")
  return found
}

/** Keywords of JSON Schema for the checks. */
const keywordsOf = (checks: Checks): object =>
  Object.assign(
    {},
    ...checks
      .map(({ annotations }) => annotations?.toJsonSchema?.({ type: "array", schemas: [] }))
      .filter((keywords) => !Array.isArray(keywords))
  )

/** Schemas that a check adds to a document, and the schema of an element in it. */
const documented = ({ ast }: Schema.Constraint) => {
  const identifier = SchemaAST.resolveIdentifier(ast)
  const encoded = SchemaAST.toEncoded(ast)
  if (identifier === undefined || encoded === SchemaAST.toType(ast)) {
    return { schemas: [encoded], itemsOf: ([items = {}]: ReadonlyArray<object>) => items }
  }
  // A document has the type parameters of a declaration under these names. A check adds types only, not codecs.
  const name = ast.encoding === undefined ? identifier : `${identifier}Encoded`
  return { schemas: [], itemsOf: () => ({ $ref: `#/$defs/${name}` }) }
}

/** The array as it arrives. Only its length is checked. Documents describe it as they describe the array itself. */
const received = <S extends Schema.Constraint>(element: S, checks: Checks) => {
  type Received = ReadonlyArray<S["Encoded"]>
  const codec = Schema.toCodecJson(element)
  const { itemsOf, schemas } = documented(codec)
  return Schema.declareConstructor<Received, Received>()(
    [codec],
    () => (value, ast, options) =>
      Array.isArray(value) ? Effect.succeed(value) : Effect.fail(new SchemaIssue.InvalidType(ast, value, options)),
    { message: "expected an array", toCodecJson: () => undefined }
  ).check(
    maximumOf(checks).annotate({
      representation: { id: "sweep/LimitedArray", payload: null, schemas },
      toJsonSchema: (input) => ({ type: "array", items: itemsOf(input.schemas), ...keywordsOf(checks) })
    })
  )
}

/** Checks the maximum length of the array before its elements. The encoded side of the elements must be JSON. */
export const lengthFirst = <S extends Schema.Top>(array: Schema.$Array<S>) =>
  received(array.value, array.ast.checks ?? []).pipe(Schema.decodeTo(array))
