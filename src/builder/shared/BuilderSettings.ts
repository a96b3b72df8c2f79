/** Settings of the builder backend's use cases. `config/Builder.ts` declares their defaults and reads them from the environment. */
import { Context, Layer } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"

export interface BuilderSettingsShape {
  /**
   * Origins of the dashboard, e.g. `https://dashboard.example.com`. Sign-in messages name the host of one of them, and the
   * session cookie is accepted from these origins only. Includes the console's origin, if it differs from the backend's.
   */
  readonly dashboardOrigins: ReadonlyArray<string>
  /** Further origins that the URI of a sign-in message may have, such as that of the backend. */
  readonly siweResourceOrigins: ReadonlyArray<string>
  /** Chains on which contract wallets sign in. Undefined: every configured chain. A wallet with a key may name any chain. */
  readonly siweChainIds: ReadonlyArray<ChainId> | undefined
  /** Lifetime of a nonce, and maximum age of a message by its issued-at. */
  readonly nonceLifetimeMillis: number
  /** Maximum difference from a wallet's clock. */
  readonly clockSkewMillis: number
  readonly sessionLifetimeMillis: number
  /** `Domain` of the session cookie, to share it between subdomains. Undefined: only the host of the backend. */
  readonly sessionCookieDomain: string | undefined
  readonly selfSignupEnabled: boolean
  /** EIP-712 domain name of orders, as the contracts contain it. The web app reviews and signs orders by it. */
  readonly domainName: string
  /**
   * Chain to which accruals without a chain are assigned when they are booked. Undefined: an operator assigns them. Until then no
   * payout includes them.
   */
  readonly defaultChainId: ChainId | undefined
  /**
   * Header with the signed assertion of the gateway in front of the admin console. If set, only the gateway opens the console.
   * Undefined: the admin token opens it.
   */
  readonly gatewayHeader: string | undefined
  /** Base URL of the orchestrator for browsers, which may differ from the one that this backend calls. If set, the web app shows it and may call it. */
  readonly orchestratorUrl: string | undefined
  /**
   * Nodes of a local network. If set, the web app offers keys in the browser and calls these nodes. Never set nodes of a real
   * chain, because their urls become public.
   */
  readonly localNodes: ReadonlyArray<{ readonly chainId: ChainId; readonly url: string }> | undefined
  readonly webhooks: {
    /** Interval at which due deliveries are looked for. */
    readonly pollMillis: number
    /** Lifetime of the claim of one attempt. Must be longer than the timeout of a request. */
    readonly leaseMillis: number
    /** Places for attempts in one process. An attempt holds one for at most two seconds, and may go on without it. */
    readonly concurrency: number
    /** Maximum number of these attempts for endpoints that fail, so that the others are always for healthy ones. */
    readonly failingConcurrency: number
    /** Maximum number of concurrent attempts for one endpoint, in all processes. */
    readonly perEndpoint: number
    /**
     * Maximum number of concurrent attempts for one builder, in all processes, even if no other builder waits: an attempt lasts up to 15
     * seconds, and its place cannot be taken back for a builder that comes later. Less than `concurrency`.
     */
    readonly perBuilder: number
    /** Retention of the log of deliveries. */
    readonly keepMillis: number
  }
  /** Ages at which rows are deleted. `KeptData` says from when the age of each counts. */
  readonly retention: {
    readonly eventsMillis: number
    readonly alertsMillis: number
  }
}

export class BuilderSettings extends Context.Service<BuilderSettings, BuilderSettingsShape>()(
  "sweep/builder/BuilderSettings"
) {
  static readonly layer = (settings: BuilderSettingsShape) => Layer.succeed(BuilderSettings, settings)
}
