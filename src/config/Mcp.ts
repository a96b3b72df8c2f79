/** Settings of the MCP server, `./sweep mcp` (spec, "MCP tool server"). */
import { Config } from "effect"
import { required, secret, valuesOf } from "./Setting.ts"

export const mcp = {
  orchestratorUrl: required({
    name: "SERVICE_ORCHESTRATOR_URL",
    check: Config.URL,
    meaning: "Base URL of the orchestrator."
  }),
  builderUrl: required({
    name: "SERVICE_BUILDER_URL",
    check: Config.URL,
    meaning: "Base URL of the builder backend."
  }),
  apiKey: secret({
    name: "SERVICE_API_KEY",
    meaning:
      "API key of a builder. `get_quote` attributes quotes to that builder. If not set, quotes are not attributed and the tool `attribute` is absent."
  }),
  adminToken: secret({
    name: "SERVICE_ADMIN_TOKEN",
    meaning:
      "`ADMIN_TOKEN` of the builder backend, which `list_accruals` sends. If not set, the tool `register_builder` is absent and `list_accruals` is refused."
  })
} as const

export const McpConfig = valuesOf(mcp)
