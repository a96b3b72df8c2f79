/** `docs/reference/<service>-api.md`: every endpoint of a service, from its contract. */
import { type Contract, type JsonSchema, type Operation, resolve, type Route, routesOf } from "./Contract.ts"
import { GENERATED, table } from "./Table.ts"

const MAX_DEPTH = 4

const typeOf = (contract: Contract, schema: JsonSchema): string => {
  const named = resolve(contract, schema)
  if (named.anyOf !== undefined) return named.anyOf.map((alternative) => typeOf(contract, alternative)).join(" or ")
  if (named.enum !== undefined) return named.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
  if (named.type === "array") return `array of ${typeOf(contract, named.items ?? {})}`
  return named.type ?? "any"
}

/** The object behind a schema, through arrays and through alternatives with null. */
const objectOf = (contract: Contract, schema: JsonSchema): JsonSchema | undefined => {
  const named = resolve(contract, schema)
  if (named.properties !== undefined) return named
  if (named.items !== undefined) return objectOf(contract, named.items)
  return named.anyOf?.map((alternative) => objectOf(contract, alternative)).find((found) => found !== undefined)
}

const isArray = (contract: Contract, schema: JsonSchema): boolean => resolve(contract, schema).type === "array"

/** One row for each property, nested ones by their path. */
const rows = (
  contract: Contract,
  schema: JsonSchema,
  prefix: string,
  depth: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const object = objectOf(contract, schema)
  if (object === undefined || depth > MAX_DEPTH) return []
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`
    const optional = object.required?.includes(name) === true ? "" : ", optional"
    const description = property.description ?? resolve(contract, property).description ?? ""
    return [
      [`\`${path}\``, `${typeOf(contract, property)}${optional}`, description],
      ...rows(contract, property, `${path}${isArray(contract, property) ? "[]" : ""}.`, depth + 1)
    ]
  })
}

const message = (contract: Contract, title: string, content: Operation["requestBody"]): ReadonlyArray<string> => {
  const [type, body] = Object.entries(content?.content ?? {})[0] ?? []
  if (type === undefined || body === undefined) return []
  const fields = body.schema === undefined ? [] : rows(contract, body.schema, "", 1)
  return [
    `**${title}** (\`${type}\`)`,
    "",
    ...(fields.length === 0 ? [] : [table(["Field", "Type", "Meaning"], fields), ""]),
    ...(body.example === undefined || type !== "application/json"
      ? []
      : ["```json", JSON.stringify(body.example, null, 2), "```", ""])
  ]
}

const parameters = (contract: Contract, { parameters: all = [] }: Operation): ReadonlyArray<string> =>
  all.length === 0
    ? []
    : [
        table(
          ["Parameter", "In", "Type", "Meaning"],
          all.map((parameter) => [
            `\`${parameter.name}\``,
            parameter.in,
            `${typeOf(contract, parameter.schema)}${parameter.required === true ? "" : ", optional"}`,
            parameter.description ?? resolve(contract, parameter.schema).description ?? ""
          ])
        ),
        ""
      ]

const credential = ({ security = [] }: Operation): ReadonlyArray<string> => {
  const names = security.flatMap((alternative) => Object.keys(alternative))
  return names.length === 0 ? [] : [`Credential: ${names.map((name) => `\`${name}\``).join(" or ")}.`, ""]
}

const endpoint = (contract: Contract, { name, operation }: Route): ReadonlyArray<string> => {
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith("2")) ?? []
  return [
    `### ${name}`,
    "",
    `${operation.summary}.`,
    "",
    ...credential(operation),
    operation.description,
    "",
    ...parameters(contract, operation),
    ...message(contract, "Request", operation.requestBody),
    ...(status === undefined ? [] : message(contract, `Response ${status}`, success))
  ]
}

/** The page as Markdown. */
export const apiPage = (contract: Contract): string => {
  const all = routesOf(contract)
  return [
    `# ${contract.title}`,
    "",
    GENERATED,
    "",
    `For developers who call the ${contract.name === "builder" ? "builder backend" : "orchestrator"} over HTTP: every endpoint with its parameters, its messages and its errors. [HTTP conventions](http-conventions.md) holds for all of them. The same as an OpenAPI document: [${contract.name}.json](../openapi/${contract.name}.json), and \`/openapi.json\` of the service.`,
    "",
    contract.info.description,
    "",
    ...contract.tags.flatMap(({ description, name }) => [
      `## ${name}`,
      "",
      description,
      "",
      ...all.filter(({ operation }) => operation.tags.includes(name)).flatMap((route) => endpoint(contract, route))
    ])
  ].join("\n")
}
