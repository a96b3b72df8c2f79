/** Settings of the MCP server, read from the environment (specification, "MCP tool server"). */
import { Config, Option, Redacted } from "effect"
import { chains } from "../config/Chains.ts"
import { McpConfig } from "../config/Mcp.ts"

export interface McpSettings {
  readonly orchestratorUrl: string
  readonly builderUrl: string
  /** EIP-712 domain name of the deployment, for which generated code signs. */
  readonly domainName: string
  /** API key of a builder. It attributes quotes, and enables the tool `attribute`. */
  readonly apiKey: Option.Option<Redacted.Redacted>
  /** Admin token of the builder backend. It enables `register_builder` and authorizes `list_accruals`. */
  readonly adminToken: Option.Option<Redacted.Redacted>
}

/** The field of a quote request that attributes it by the environment's API key. */
export const attribution = (apiKey: McpSettings["apiKey"]): { readonly apiKey?: string } =>
  Option.match(apiKey, { onNone: () => ({}), onSome: (key) => ({ apiKey: Redacted.value(key) }) })

const base = ({ href }: URL): string => href.replace(/\/+$/, "")

export const fromEnvironment: Config.Config<McpSettings> = Config.map(
  Config.all([McpConfig, chains.domainName.config]),
  ([values, domainName]) => ({
    ...values,
    domainName,
    orchestratorUrl: base(values.orchestratorUrl),
    builderUrl: base(values.builderUrl)
  })
)
