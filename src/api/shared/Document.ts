/**
 * Finishes a generated OpenAPI document: says of the wire what schemas only say of decoded values, under the domain's names.
 */
type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Members = { readonly [key: string]: Json }

const ADDRESS: Members = {
  type: "string",
  pattern: "^0x[0-9a-fA-F]{40}$",
  description: "0x plus 40 hex digits. Accepted in any case, returned checksummed",
  examples: ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"]
}

/** Checks of the encoded side, which generation leaves out. */
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

const RETRY_AFTER: Members = { type: "integer", minimum: 1, description: "Seconds until the window resets" }

const HTTP_METHODS = new Set(["get", "post", "patch", "put", "delete"])

const header = (description: string, example: string): Members => ({ description, schema: { type: "string" }, example })

const HEADERS: Members = {
  RateLimit: header(
    "What is left of the window: `r` requests for the next `t` seconds (draft-ietf-httpapi-ratelimit-headers)",
    '"default";r=99;t=60'
  ),
  RateLimitPolicy: header(
    "The window that the request counts in: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers)",
    '"default";q=100;w=60'
  )
}

const RATE_LIMIT_HEADERS: Members = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" }
}

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const SUFFIX = /Encoded$/

/** Nothing about a message on the wire is worth two names, so the generated `…Encoded` become plain. */
const rename = (text: string): string => (text.startsWith("#/components/schemas/") ? text.replace(SUFFIX, "") : text)

/** Failures that a client cannot tell apart by their bodies are one alternative. */
const distinct = (alternatives: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const seen = new Set<string>()
  return alternatives.filter((alternative) => {
    const text = JSON.stringify(alternative)
    return seen.has(text) ? false : seen.add(text)
  })
}

const walk = (value: Json): Json => {
  if (typeof value === "string") return rename(value)
  if (Array.isArray(value)) return value.map(walk)
  if (!isMembers(value)) return value
  const { anyOf } = value
  if (Array.isArray(anyOf)) {
    const [only, ...others] = distinct(anyOf)
    if (isMembers(only) && others.length < anyOf.length - 1) {
      return walk(others.length === 0 ? only : { ...value, anyOf: [only, ...others] })
    }
  }
  return Object.fromEntries(
    Object.entries(value)
      // Unknown fields are ignored, and answers may gain fields.
      .filter(([key, member]) => !(key === "additionalProperties" && member === false))
      .map(([key, member]) => [
        key,
        key === "retry-after" && isMembers(member) ? { ...member, schema: RETRY_AFTER } : walk(member)
      ])
  )
}

const isJson = (value: unknown): value is Members => typeof value === "object" && value !== null

const mapMembers = (value: Json | undefined, step: (member: Members, key: string) => Json): Members =>
  isMembers(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, member]) => [key, isMembers(member) ? step(member, key) : member])
      )
    : {}

/** An operation that can answer 429 tells its limits with every answer. */
const withRateLimits = (operation: Members): Members => {
  const responses = operation["responses"]
  if (!isMembers(responses) || responses["429"] === undefined) return operation
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

const member = (value: Json | undefined, ...keys: ReadonlyArray<string>): Json | undefined =>
  keys.reduce<Json | undefined>((inner, key) => (isMembers(inner) ? inner[key] : undefined), value)

/** What `error` can say in a response, where the contract fixes it. */
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

/** Rows for the statuses of the contract that the description's own table leaves out. */
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

const LICENSE: Members = { name: "MIT", identifier: "MIT" }

/** For the `transform` annotation of an API. */
export const finish = (document: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  if (!isJson(document)) return document
  const walked = walk(document)
  const components = isMembers(walked) ? walked["components"] : undefined
  const schemas = isMembers(components) ? components["schemas"] : undefined
  if (!isMembers(walked) || !isMembers(components) || !isMembers(schemas)) return document
  const named = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const plain = name.replace(SUFFIX, "")
      return [plain, ENCODED[plain] ?? schema]
    })
  )
  const { info, paths } = walked
  return {
    ...walked,
    info: { ...(isMembers(info) ? info : {}), license: LICENSE },
    servers: [{ url: "/", description: "The service that serves this document" }],
    paths: mapOperations(paths, (operation) => withRateLimits(withErrorRows(named)(operation))),
    components: { ...components, headers: HEADERS, schemas: named }
  }
}
