/** The MCP server (spec, "MCP tool server"): the service's API as tools, over standard input and output. */
import { Effect, Layer } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import packageJson from "../../package.json" with { type: "json" }
import * as BuilderTools from "./BuilderTools.ts"
import * as CodegenTools from "./CodegenTools.ts"
import type { McpSettings } from "./McpSettings.ts"
import * as OrchestratorTools from "./OrchestratorTools.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const INSTRUCTIONS = `Sweeps tokens gaslessly: any token that an account holds arrives as any other token, at any address, on any served chain.

1. get_quote prices the sweep. Compare its order with what was asked for, and show the owner amount, fees, minimum, destination and expiry.
2. The owner signs, outside of this server: signing.typedData (EIP-712) and signing.authorization (EIP-7702). Never ask anybody for a private key.
3. submit_signed hands both over, before quote.expiresAtMs.
4. get_intent_status every 3 seconds, until delivered or failed.

Amounts are decimal strings in the token's smallest unit. A failed tool says what to do next.`

/** Newest first. */
const PROTOCOLS = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

const about = {
  name: "token-sweep",
  version: packageJson.version,
  description: "Gasless token sweeps: quote, sign, submit, follow",
  instructions: INSTRUCTIONS,
  protocols: PROTOCOLS
} as const

/** Registers the tools that the settings allow. */
export const registrations = (settings: McpSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const tools = [
        ...(yield* OrchestratorTools.make(settings)),
        ...CodegenTools.make(settings),
        ...(yield* BuilderTools.make(settings))
      ]
      yield* Effect.forEach(tools, ToolDefinition.register, { discard: true })
    })
  )

/** Serves over standard input and output, which carry nothing but the protocol. */
export const layerStdio = (settings: McpSettings) =>
  McpServer.layerStdio({ ...about, registrations: registrations(settings) })

export interface HttpOptions {
  readonly path: `/${string}`
  /** Pages of other origins are refused: a site must not reach a server on its visitor's machine (DNS rebinding). */
  readonly allowedOrigins: ReadonlyArray<string>
}

/** Serves at a path of an HTTP router. */
export const layerHttp = (settings: McpSettings, options: HttpOptions) =>
  McpServer.layerHttp({ ...about, ...options, registrations: registrations(settings) })
