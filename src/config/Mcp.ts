/** Settings of the MCP server, `./sweep mcp` (spec, "MCP tool server"). */
import { Config } from "effect"
import { required, secret } from "./Setting.ts"

export const mcp = {
  orchestratorUrl: required("SERVICE_ORCHESTRATOR_URL", Config.URL, "Base URL of the orchestrator. Required."),
  builderUrl: required("SERVICE_BUILDER_URL", Config.URL, "Base URL of the builder backend. Required."),
  apiKey: secret(
    "SERVICE_API_KEY",
    "A builder's API key: `get_quote` attributes with it. Unset: quotes are not attributed, and there is no tool `attribute`."
  ),
  adminToken: secret(
    "SERVICE_ADMIN_TOKEN",
    "The builder backend's ADMIN_TOKEN, which `list_accruals` sends. Unset: there is no tool `register_builder`, and `list_accruals` is refused."
  )
} as const
