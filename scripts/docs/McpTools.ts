/** The part of `docs/reference/mcp.md` that lists the tools, from their definitions. */
import { Effect, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { DEFAULT_DOMAIN_NAME } from "../../src/domain/SweepOrder.ts"
import * as BuilderTools from "../../src/mcp/BuilderTools.ts"
import * as CodegenTools from "../../src/mcp/CodegenTools.ts"
import * as OrchestratorTools from "../../src/mcp/OrchestratorTools.ts"
import * as WalletTools from "../../src/mcp/WalletTools.ts"
import type { JsonSchema } from "./Contract.ts"
import { table } from "./Table.ts"

/** With both credentials, so that no tool is left out. */
const settings = {
  orchestratorUrl: "https://sweep.example",
  builderUrl: "https://builders.sweep.example",
  domainName: DEFAULT_DOMAIN_NAME,
  apiKey: Option.some(Redacted.make("key")),
  adminToken: Option.some(Redacted.make("token"))
}

const fields = (schema: JsonSchema, prefix = ""): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const type = property.enum?.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
    const either = property.anyOf?.map((alternative) => alternative.type ?? "").join(" or ")
    return [
      [
        `\`${prefix}${name}\``,
        `${type ?? either ?? property.type ?? ""}${schema.required?.includes(name) === true ? "" : ", optional"}`,
        property.description ?? ""
      ],
      ...fields(property, `${prefix}${name}.`),
      ...fields(property.items ?? {}, `${prefix}${name}[].`)
    ]
  })

/** One section for each tool. */
export const mcpTools: Effect.Effect<string> = Effect.gen(function* () {
  const definitions = [
    ...(yield* OrchestratorTools.make(settings)),
    ...(yield* WalletTools.make(settings)),
    ...CodegenTools.make(settings),
    ...(yield* BuilderTools.make(settings))
  ]
  return definitions
    .map(({ tool }) => {
      const rows = fields(tool.inputSchema as JsonSchema)
      return [
        `### ${tool.name}`,
        "",
        tool.description ?? "",
        "",
        ...(rows.length === 0 ? ["No arguments."] : [table(["Argument", "Type", "Meaning"], rows)]),
        ""
      ].join("\n")
    })
    .join("\n")
}).pipe(Effect.provide(FetchHttpClient.layer))
