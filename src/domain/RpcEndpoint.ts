/** A JSON-RPC endpoint of a chain, with the limits that its provider grants. */
import { Schema } from "effect"

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** May hold an API key, so the message does not repeat it. */
export const RpcUrl = Schema.String.check(
  Schema.makeFilter((text: string) => isHttpUrl(text) || "expected an http or https URL")
)

const PerSecond = Schema.Finite.check(Schema.isGreaterThan(0))

/** A JSON-RPC endpoint with its limits. */
export const RpcEndpoint = Schema.Struct({
  url: RpcUrl,
  /** Calls per second that the endpoint grants. Each call of a batch counts. Default: no limit. */
  requestsPerSecond: Schema.optionalKey(PerSecond),
  /** Compute units per second that the endpoint grants. Default: no limit. */
  computeUnitsPerSecond: Schema.optionalKey(PerSecond)
})
export type RpcEndpoint = typeof RpcEndpoint.Type

/** A URL alone has no limits. */
export const endpointOf = (entry: string | RpcEndpoint): RpcEndpoint =>
  typeof entry === "string" ? { url: entry } : entry
