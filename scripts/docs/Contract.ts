/** The parts of an OpenAPI document that the reference pages show. */
import { OpenApi } from "effect/http-api"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>>
}

export interface Operation {
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: JsonSchema
  }>
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content & { readonly description?: string }>>
}

export interface Contract {
  /** File name of the service's page and of its OpenAPI document. */
  readonly name: "orchestrator" | "builder"
  readonly title: string
  readonly info: { readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const contract = (name: Contract["name"], title: string, document: unknown): Contract => ({
  // The document is JSON by definition; the interface names the members that are read.
  ...(JSON.parse(JSON.stringify(document)) as Omit<Contract, "name" | "title">),
  name,
  title
})

export const contracts: ReadonlyArray<Contract> = [
  contract("orchestrator", "Orchestrator API", OpenApi.fromApi(OrchestratorApi)),
  contract("builder", "Builder backend API", OpenApi.fromApi(BuilderApi))
]

/** A route as the pages name it, such as `GET /intents/:id`. */
export const routeName = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`

export interface Route {
  readonly name: string
  readonly operation: Operation
}

/** Every route of the contract, in its order. */
export const routesOf = ({ paths }: Contract): ReadonlyArray<Route> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: routeName(method, path), operation }))
  )

/** The schema that a reference stands for. */
export const resolve = ({ components }: Contract, schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : (components.schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {})
