/** What the MCP server is told by its environment (spec, "MCP tool server"). */
import { Config, type Option, type Redacted } from "effect"
import { McpConfig } from "../config/Mcp.ts"

export interface McpSettings {
  readonly orchestratorUrl: string
  readonly builderUrl: string
  /** A builder's API key: attributes quotes, and enables the tool `attribute`. */
  readonly apiKey: Option.Option<Redacted.Redacted>
  /** The builder backend's admin token: enables `register_builder`, and is used by `list_accruals`. */
  readonly adminToken: Option.Option<Redacted.Redacted>
}

const base = ({ href }: URL): string => href.replace(/\/+$/, "")

export const fromEnvironment: Config.Config<McpSettings> = Config.map(McpConfig, (values) => ({
  ...values,
  orchestratorUrl: base(values.orchestratorUrl),
  builderUrl: base(values.builderUrl)
}))
