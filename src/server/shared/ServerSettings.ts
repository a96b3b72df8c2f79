/** Settings of the HTTP layer. */
import { Context, Layer, type Redacted } from "effect"
import type { FormerToken } from "../../domain/AcceptedTokens.ts"
import type { RateLimitPolicy } from "../../domain/RateLimit.ts"
import type { SecurityContact } from "../../domain/SecurityText.ts"
import { common } from "../../config/Common.ts"
import { orchestrator } from "../../config/Orchestrator.ts"

export interface RateLimitWindow {
  /** Maximum number of requests of one client in a window. */
  readonly limit: number
  readonly windowMillis: number
}

export interface ServerSettingsShape {
  /**
   * Number of trusted proxies that append to `X-Forwarded-For`: the client is that many entries from the right. 0: the
   * socket's peer is the client.
   */
  readonly trustedProxyHops: number
  /** They hold where the operator has not chosen others, see `RateLimits`. */
  readonly rateLimits: Readonly<Record<RateLimitPolicy, RateLimitWindow>>
  /** Maximum size of a request body in bytes. */
  readonly maxBodyBytes: number
  /** Without a token, every operator route refuses all requests. */
  readonly adminToken: Redacted.Redacted | undefined
  /** Former admin tokens, which are accepted until they end. */
  readonly formerAdminTokens: ReadonlyArray<FormerToken>
  /** Token of the metrics. Without one, the route refuses all requests. */
  readonly metricsToken: Redacted.Redacted | undefined
  /** Whom to tell about a vulnerability. Without it, there is no `/.well-known/security.txt`. */
  readonly securityContact: SecurityContact | undefined
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
  adminToken: undefined,
  formerAdminTokens: [],
  metricsToken: undefined,
  securityContact: undefined
}

export class ServerSettings extends Context.Service<ServerSettings, ServerSettingsShape>()(
  "sweep/server/ServerSettings"
) {
  static readonly layer = (overrides: Partial<ServerSettingsShape> = {}) =>
    Layer.succeed(ServerSettings, { ...defaults, ...overrides })
}
