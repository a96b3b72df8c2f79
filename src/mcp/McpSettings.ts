/** What the MCP server is told by its environment (spec, "MCP tool server"). */
import { Config, type Option, type Redacted } from "effect"

export interface McpSettings {
  readonly orchestratorUrl: string
  readonly builderUrl: string
  /** A builder's API key: attributes quotes, and enables the tool `attribute`. */
  readonly apiKey: Option.Option<Redacted.Redacted>
  /** The builder backend's admin token: enables `register_builder`, and is used by `list_accruals`. */
  readonly adminToken: Option.Option<Redacted.Redacted>
}

const baseUrl = (name: string) => Config.map(Config.URL(name), ({ href }) => href.replace(/\/+$/, ""))

export const fromEnvironment: Config.Config<McpSettings> = Config.all({
  orchestratorUrl: baseUrl("SERVICE_ORCHESTRATOR_URL"),
  builderUrl: baseUrl("SERVICE_BUILDER_URL"),
  apiKey: Config.option(Config.Redacted("SERVICE_API_KEY")),
  adminToken: Config.option(Config.Redacted("SERVICE_ADMIN_TOKEN"))
})
