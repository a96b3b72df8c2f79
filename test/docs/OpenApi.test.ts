/** What the OpenAPI documents must say of every endpoint. Their lint and their freshness: `bun scripts/openapi.ts --check`. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "./Markdown.ts"

interface Content {
  readonly "application/json"?: { readonly example?: unknown; readonly examples?: unknown }
}

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly requestBody?: { readonly content?: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const pathsOf = (file: string): Paths => {
  const document: { readonly paths: Paths } = JSON.parse(read(file))
  return document.paths
}

const operations = (file: string) =>
  Object.entries(pathsOf(file)).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
  )

const lacksExample = (content: Content | undefined): boolean => {
  const json = content?.["application/json"]
  return json !== undefined && json.example === undefined && json.examples === undefined
}

describe.each([
  ["orchestrator", operations("docs/openapi/orchestrator.json")],
  ["builder", operations("docs/openapi/builder.json")]
])("the %s's document", (_, all) => {
  it.each(all)("describes $name, with every error in its table", ({ operation }) => {
    assert.isString(operation.summary)
    assert.isString(operation.description)
    for (const status of Object.keys(operation.responses)) {
      if (status >= "400") assert.include(operation.description, `| ${status} |`)
    }
  })
})

describe("the orchestrator's document", () => {
  it.each(operations("docs/openapi/orchestrator.json"))("has examples of $name", ({ operation }) => {
    assert.isFalse(lacksExample(operation.requestBody?.content))
    for (const [status, { content }] of Object.entries(operation.responses)) {
      if (status.startsWith("2")) assert.isFalse(lacksExample(content))
    }
  })
})
