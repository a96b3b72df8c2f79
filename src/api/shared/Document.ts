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

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const SUFFIX = /Encoded$/

/** Nothing about a message on the wire is worth two names, so the generated `…Encoded` become plain. */
const rename = (text: string): string => (text.startsWith("#/components/schemas/") ? text.replace(SUFFIX, "") : text)

const walk = (value: Json): Json => {
  if (typeof value === "string") return rename(value)
  if (Array.isArray(value)) return value.map(walk)
  if (!isMembers(value)) return value
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
  return { ...walked, components: { ...components, schemas: named } }
}
