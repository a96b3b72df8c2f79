/** Examples of error responses, derived from their schemas: the contract fixes most of their content. */
import { isMembers, type Json, mapMembers, member, type Members } from "./JsonTree.ts"

const JSON_TYPE = "application/json"

const REFERENCE = "#/components/schemas/"

/** Name of the component that a schema refers to. */
const referenced = (schema: Json): string | undefined => {
  const reference = member(schema, "$ref")
  return typeof reference === "string" && reference.startsWith(REFERENCE)
    ? reference.slice(REFERENCE.length)
    : undefined
}

/** The first example or fixed value of a schema, or an object or list of those of its parts. */
const exampleOf = (schema: Json | undefined, schemas: Members): Json | undefined => {
  if (!isMembers(schema)) return undefined
  const name = referenced(schema)
  if (name !== undefined) return exampleOf(schemas[name], schemas)
  for (const values of [schema["examples"], schema["enum"]]) {
    if (Array.isArray(values) && values.length > 0) return values[0]
  }
  const { items, properties } = schema
  if (isMembers(properties)) {
    const parts = Object.entries(properties).flatMap(([key, property]): ReadonlyArray<[string, Json]> => {
      const value = exampleOf(property, schemas)
      return value === undefined ? [] : [[key, value]]
    })
    return Object.fromEntries(parts)
  }
  const item = exampleOf(items, schemas)
  return item === undefined ? undefined : [item]
}

const withExamples = (content: Members, schemas: Members): Members => {
  if (content["example"] !== undefined || content["examples"] !== undefined) return content
  const { schema } = content
  const anyOf = member(schema, "anyOf")
  const alternatives: ReadonlyArray<Json> = Array.isArray(anyOf) ? anyOf : schema === undefined ? [] : [schema]
  const examples = alternatives.flatMap((alternative): ReadonlyArray<[string, Json]> => {
    const value = exampleOf(alternative, schemas)
    return value === undefined ? [] : [[referenced(alternative) ?? "example", { value }]]
  })
  return { ...content, examples: Object.fromEntries(examples) }
}

/** Adds an example of each alternative to the error responses of an operation. */
export const withErrorExamples = (schemas: Members, operation: Members): Members => ({
  ...operation,
  responses: mapMembers(operation["responses"], (response, status) => {
    const json = member(response, "content", JSON_TYPE)
    return status < "400" || !isMembers(json)
      ? response
      : { ...response, content: { [JSON_TYPE]: withExamples(json, schemas) } }
  })
})
