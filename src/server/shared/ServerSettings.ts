/** Settings of the HTTP layer. */
import { Context, Layer, type Redacted } from "effect"
import type { RateLimitPolicy } from "../../api/shared/Middleware.ts"
import { common } from "../../config/Common.ts"
import { orchestrator } from "../../config/Orchestrator.ts"

export interface RateLimitWindow {
  /** Requests that one client may make in a window. */
  readonly limit: number
  readonly windowMillis: number
}

export interface ServerSettingsShape {
  /**
   * How many proxies stand in front and append to `X-Forwarded-For`: the client is that many entries from the right. 0: the
   * socket's peer is the client.
   */
  readonly trustedProxyHops: number
  readonly rateLimits: Readonly<Record<RateLimitPolicy, RateLimitWindow>>
  /** Longer request bodies are refused. */
  readonly maxBodyBytes: number
  /** Without one, every operator route is closed. */
  readonly adminToken: Redacted.Redacted | undefined
}

export const defaults: ServerSettingsShape = {
  trustedProxyHops: common.trustedProxyHops.default,
  rateLimits: {
    orchestrator: { limit: orchestrator.rateLimit.default, windowMillis: 60_000 },
    attribution: { limit: 100, windowMillis: 60_000 },
    signup: { limit: 10, windowMillis: 3_600_000 },
    builder: { limit: 300, windowMillis: 60_000 }
  },
  maxBodyBytes: 64 * 1024,
  adminToken: undefined
}

export class ServerSettings extends Context.Service<ServerSettings, ServerSettingsShape>()(
  "sweep/server/ServerSettings"
) {
  static readonly layer = (overrides: Partial<ServerSettingsShape> = {}) =>
    Layer.succeed(ServerSettings, { ...defaults, ...overrides })
}
