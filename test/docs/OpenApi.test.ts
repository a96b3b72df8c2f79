/**
 * Completeness of the OpenAPI documents: descriptions of everything, and examples that match their schemas. Their lint and their
 * freshness: `bun scripts/openapi.ts --check`.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { read } from "./Markdown.ts"

interface SchemaObject {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly items?: SchemaObject
  readonly additionalProperties?: SchemaObject | boolean
  readonly anyOf?: ReadonlyArray<SchemaObject>
  readonly allOf?: ReadonlyArray<SchemaObject>
}

interface MediaType {
  readonly schema: SchemaObject
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Message {
  readonly description?: string
  readonly content?: Readonly<Record<string, MediaType>>
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string } & SchemaObject>>
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly requestBody?: Message
  readonly responses: Readonly<Record<string, Message>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> }
}

const documents = ["orchestrator", "builder"].map((service): [string, Document] => {
  const document: Document = JSON.parse(read(`docs/openapi/${service}.json`))
  return [service, document]
})

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
  )

/** Every request and response body, by where it stands. */
const bodiesOf = (document: Document) =>
  operationsOf(document).flatMap(({ name, operation: { requestBody = {}, responses } }) =>
    Object.entries({ request: requestBody, ...responses }).flatMap(([message, { content = {} }]) =>
      Object.entries(content).map(([type, media]) => ({ at: `${name} ${message} ${type}`, media }))
    )
  )

const examplesOf = ({ example, examples = {} }: MediaType): ReadonlyArray<unknown> =>
  example === undefined ? Object.values(examples).map(({ value }) => value) : [example]

interface Property {
  readonly at: string
  readonly schema: SchemaObject
}

/** Every property below a schema, without those behind references. */
const propertiesOf = (schema: SchemaObject, at: string): ReadonlyArray<Property> => {
  const { additionalProperties, allOf = [], anyOf = [], items, properties = {} } = schema
  const own = Object.entries(properties).map(([key, property]) => ({ at: `${at}.${key}`, schema: property }))
  const inner = [...allOf, ...anyOf, ...(items === undefined ? [] : [items])]
  const values = typeof additionalProperties === "object" ? [additionalProperties] : []
  return [
    ...own,
    ...own.flatMap((property) => propertiesOf(property.schema, property.at)),
    ...[...inner, ...values].flatMap((part) => propertiesOf(part, at))
  ]
}

const allPropertiesOf = (document: Document): ReadonlyArray<Property> => [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => propertiesOf(schema, name)),
  ...bodiesOf(document).flatMap(({ at, media }) => propertiesOf(media.schema, at))
]

const isDescribed = ({ description }: { readonly description?: string }): boolean =>
  description !== undefined && /\S/.test(description)

describe.each(documents)("the %s's document", (_, document) => {
  const operations = operationsOf(document)

  it.each(operations)("describes $name, with every error in its table", ({ operation }) => {
    assert.isString(operation.summary)
    assert.isString(operation.description)
    for (const status of Object.keys(operation.responses)) {
      if (status >= "400") assert.include(operation.description, `| ${status} |`)
    }
  })

  it("describes every property", () => {
    const properties = allPropertiesOf(document)
    assert.isAbove(properties.length, 200)
    assert.deepStrictEqual(
      properties.filter(({ schema }) => !isDescribed(schema)).map(({ at }) => at),
      []
    )
  })

  it("describes every parameter, response and header", () => {
    const parts = operations.flatMap(({ name, operation: { parameters = [], responses } }) => [
      ...parameters.map((parameter) => ({ at: `${name} ?${parameter.name}`, part: parameter })),
      ...Object.entries(responses).flatMap(([status, response]) => [
        { at: `${name} ${status}`, part: response },
        ...Object.entries(response.headers ?? {}).flatMap(([header, part]) =>
          part.$ref === undefined ? [{ at: `${name} ${status} ${header}`, part }] : []
        )
      ])
    ])
    assert.isAbove(parts.length, 60)
    assert.deepStrictEqual(
      parts.filter(({ part }) => !isDescribed(part)).map(({ at }) => at),
      []
    )
  })

  it("has an example of every request and response, for each alternative of an error", () => {
    const bodies = bodiesOf(document)
    assert.isAbove(bodies.length, 60)
    const lacking = bodies.filter(({ at, media }) => {
      const alternatives = / [45]\d\d /.test(at) ? (media.schema.anyOf?.length ?? 1) : 1
      return examplesOf(media).length < alternatives
    })
    assert.deepStrictEqual(
      lacking.map(({ at }) => at),
      []
    )
  })

  it("has examples that match their schemas", () => {
    const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false }))
    ajv.addSchema(document, "document")
    const absolute = (schema: SchemaObject) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))
    const problems = bodiesOf(document).flatMap(({ at, media }) => {
      const validate = ajv.compile(absolute(media.schema))
      return examplesOf(media).flatMap((example) =>
        validate(example) ? [] : [`${at}: ${ajv.errorsText(validate.errors)}`]
      )
    })
    assert.deepStrictEqual(problems, [])
  })
})
