/**
 * Finishes a generated OpenAPI document: constraints of the encoded side, descriptions, examples of errors, rate limit headers
 * and tables of errors.
 */
import { withErrorExamples } from "./DocumentExamples.ts"
import { isMembers, type Json, mapMembers, member, type Members } from "./JsonTree.ts"

const ADDRESS: Members = {
  type: "string",
  pattern: "^0x[0-9a-fA-F]{40}$",
  description: "0x plus 40 hex digits. Accepted in any case, returned checksummed",
  examples: ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"]
}

/** Constraints of the encoded side, which generation leaves out. */
const ENCODED: Members = {
  Address: ADDRESS,
  NonZeroAddress: { ...ADDRESS, not: { pattern: "^0x0{40}$" } },
  Uint256: {
    type: "string",
    pattern: "^[0-9]{1,78}$",
    description: "A uint256 as a decimal string",
    examples: ["25000000"]
  }
}

const RETRY_AFTER: Members = {
  description: "Seconds after which the request may be repeated",
  schema: { type: "integer", minimum: 1 }
}

const HTTP_METHODS = new Set(["get", "post", "patch", "put", "delete"])

const header = (description: string, example: string): Members => ({ description, schema: { type: "string" }, example })

const HEADERS: Members = {
  RateLimit: header(
    "Rest of the window: `r` requests for the next `t` seconds (draft-ietf-httpapi-ratelimit-headers)",
    '"default";r=99;t=60'
  ),
  RateLimitPolicy: header(
    "Window of the request: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers)",
    '"default";q=100;w=60'
  )
}

const RATE_LIMIT_HEADERS: Members = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" }
}

const SUFFIX = /Encoded$/

/** The document describes encoded messages only, so the generated suffix `Encoded` is dropped. */
const rename = (text: string): string => (text.startsWith("#/components/schemas/") ? text.replace(SUFFIX, "") : text)

/** Failures with the same body become one alternative. */
const distinct = (alternatives: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const seen = new Set<string>()
  return alternatives.filter((alternative) => {
    const text = JSON.stringify(alternative)
    return seen.has(text) ? false : seen.add(text)
  })
}

/** Generation writes the description of a property as `allOf: [schema, { description }]`. */
const withOwnDescription = (value: Members): Members => {
  const { allOf, ...rest } = value
  if (!Array.isArray(allOf)) return value
  const last: Json = allOf.at(-1)
  if (!isMembers(last) || Object.keys(last).join() !== "description") return value
  const others: ReadonlyArray<Json> = allOf.slice(0, -1)
  const [only] = others
  if (others.length === 1 && isMembers(only)) return { ...rest, ...only, ...last }
  return others.length === 0 ? { ...rest, ...last } : { ...rest, allOf: others, ...last }
}

const EVENT_PROPERTIES: Members = {
  id: { description: "Status of each intent, for `Last-Event-ID`." },
  event: { description: "Name of the event. Always message." },
  data: { description: "The whole state." }
}

/** Describes server-sent events. The generated notes on failures inside a stream do not apply: none is sent. */
const withoutStreamNotes = (content: Members): Members => {
  const { "x-effect-stream": _, ...rest } = content
  const { schema } = rest
  if (!isMembers(schema)) return rest
  const properties = mapMembers(schema["properties"], (property, name) => {
    const described = EVENT_PROPERTIES[name]
    return { ...property, ...(isMembers(described) ? described : {}) }
  })
  return { ...rest, schema: { ...schema, properties } }
}

/** Moves the description of a parameter or header from its schema to itself. */
const withDescription = (part: Members): Members => {
  const { schema } = part
  if (!isMembers(schema) || "description" in part) return part
  const { description, ...rest } = schema
  return description === undefined ? part : { ...part, description, schema: rest }
}

const walk = (input: Json): Json => {
  if (typeof input === "string") return rename(input)
  if (Array.isArray(input)) return input.map(walk)
  if (!isMembers(input)) return input
  const value = withOwnDescription("x-effect-stream" in input ? withoutStreamNotes(input) : input)
  const { anyOf } = value
  if (Array.isArray(anyOf)) {
    const [only, ...others] = distinct(anyOf)
    if (isMembers(only) && others.length < anyOf.length - 1) {
      return walk(others.length === 0 ? only : { ...value, anyOf: [only, ...others] })
    }
  }
  return Object.fromEntries(
    Object.entries(value)
      // Unknown fields are ignored, and responses may gain fields.
      .filter(([key, member]) => !(key === "additionalProperties" && member === false))
      .map(([key, member]) => [
        key,
        key === "retry-after" && isMembers(member) ? { ...member, ...RETRY_AFTER } : walk(member)
      ])
  )
}

const isJson = (value: unknown): value is Members => typeof value === "object" && value !== null

/** Moves the description of a parameter from its schema to the parameter. */
const withParameterDescriptions = (operation: Members): Members => {
  const { parameters } = operation
  if (!Array.isArray(parameters)) return operation
  const described = parameters.map((parameter: Json): Json =>
    isMembers(parameter) ? withDescription(parameter) : parameter
  )
  return { ...operation, parameters: described }
}

const withHeaderDescriptions = (operation: Members): Members => {
  const { responses } = operation
  if (!isMembers(responses)) return operation
  const described = mapMembers(responses, (response) => {
    const { headers } = response
    return isMembers(headers) ? { ...response, headers: mapMembers(headers, withDescription) } : response
  })
  return { ...operation, responses: described }
}

/** Credentials of operators. Their routes answer 429 only for wrong tokens, without a window. */
const OPERATORS = new Set(["operatorToken", "consoleToken"])

const isForOperators = ({ security }: Members): boolean =>
  Array.isArray(security) &&
  security.some((needed: Json) => isMembers(needed) && Object.keys(needed).some((name) => OPERATORS.has(name)))

/** A counted operation sends its limits with every response. */
const withRateLimits = (operation: Members): Members => {
  const responses = operation["responses"]
  if (!isMembers(responses) || responses["429"] === undefined || isForOperators(operation)) return operation
  const told = mapMembers(responses, (response) => {
    const { headers } = response
    return { ...response, headers: { ...(isMembers(headers) ? headers : {}), ...RATE_LIMIT_HEADERS } }
  })
  return { ...operation, responses: told }
}

const mapOperations = (paths: Json | undefined, step: (operation: Members) => Members): Members =>
  mapMembers(paths, (item) =>
    mapMembers(item, (operation, method) => (HTTP_METHODS.has(method) ? step(operation) : operation))
  )

/** Texts of `error` in a response that the contract fixes. */
const errorTexts = (response: Json, schemas: Members): ReadonlyArray<string> => {
  const schema = member(response, "content", "application/json", "schema")
  const alternatives = member(schema, "anyOf")
  return (Array.isArray(alternatives) ? alternatives : [schema]).flatMap((alternative) => {
    const reference = member(alternative, "$ref")
    const named = typeof reference === "string" ? schemas[reference.replace("#/components/schemas/", "")] : alternative
    const texts = member(named, "properties", "error", "enum")
    return Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : []
  })
}

/** Adds a row for each status of the contract that the description's table leaves out. */
const withErrorRows =
  (schemas: Members) =>
  (operation: Members): Members => {
    const { description, responses } = operation
    if (typeof description !== "string" || !isMembers(responses)) return operation
    const rows = Object.entries(responses).flatMap(([status, response]) => {
      if (status < "400" || description.includes(`| ${status} |`)) return []
      const texts = errorTexts(response, schemas).map((text) => `\`${text}\``)
      const cause = member(response, "description")
      return [
        `| ${status} | ${texts.length === 0 ? "`<problems>`" : texts.join(", ")} | ${typeof cause === "string" ? cause : ""} |`
      ]
    })
    if (rows.length === 0) return operation
    const table = description.includes("|---|") ? [] : ["", "| Status | `error` | Cause |", "|---|---|---|"]
    return { ...operation, description: [description, ...table, ...rows].join("\n") }
  }

/** True if the schema is the text of an event with the schema of this name. The document describes the event's content instead. */
const isTextOf = (name: string, schema: Json): boolean =>
  member(schema, "contentSchema", "$ref") === `#/components/schemas/${name}`

const LICENSE: Members = { name: "MIT", identifier: "MIT" }

/** For the `transform` annotation of an API. */
export const finish = (document: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  if (!isJson(document)) return document
  const walked = walk(document)
  const components = isMembers(walked) ? walked["components"] : undefined
  const schemas = isMembers(components) ? components["schemas"] : undefined
  if (!isMembers(walked) || !isMembers(components) || !isMembers(schemas)) return document
  const named = Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const plain = name.replace(SUFFIX, "")
      return isTextOf(plain, schema) ? [] : [[plain, ENCODED[plain] ?? schema]]
    })
  )
  const { info, paths } = walked
  return {
    ...walked,
    info: { ...(isMembers(info) ? info : {}), license: LICENSE },
    servers: [{ url: "/", description: "The service that serves this document" }],
    paths: mapOperations(paths, (operation) =>
      withRateLimits(
        withErrorExamples(named, withHeaderDescriptions(withParameterDescriptions(withErrorRows(named)(operation))))
      )
    ),
    components: { ...components, headers: HEADERS, schemas: named }
  }
}
