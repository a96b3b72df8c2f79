/** Settings of the builder backend's use cases. `config/Builder.ts` declares their defaults and reads them from the environment. */
import { Context, Layer } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"

export interface BuilderSettingsShape {
  /**
   * Origins of the dashboard, e.g. `https://dashboard.example.com`: sign-in messages name the host of one, and browsers may
   * use the session cookie from these and no others. The admin console's too, unless it has the backend's own.
   */
  readonly dashboardOrigins: ReadonlyArray<string>
  /** Further origins that the URI of a sign-in message may have, such as the backend's own. */
  readonly siweResourceOrigins: ReadonlyArray<string>
  /** Chains that a sign-in message may name; every configured chain unless set. */
  readonly siweChainIds: ReadonlyArray<ChainId> | undefined
  /** How long a nonce can be signed and sent back; also how old a message may be by its issued-at. */
  readonly nonceLifetimeMillis: number
  /** How far a wallet's clock may be off. */
  readonly clockSkewMillis: number
  readonly sessionLifetimeMillis: number
  /** `Domain` of the session cookie, to share it between subdomains; the backend's own host alone unless set. */
  readonly sessionCookieDomain: string | undefined
  readonly selfSignupEnabled: boolean
  /** The chain of accruals that name none, when a payout is opened; unless set, no payout includes them. */
  readonly defaultChainId: ChainId | undefined
  /**
   * The request header in which the gateway in front of the admin console passes its signed assertion. Where it is set, the
   * console takes nothing else; where not, it takes the admin token.
   */
  readonly gatewayHeader: string | undefined
  /** Where browsers find the orchestrator; the web app then shows it and may call it. */
  readonly orchestratorUrl: string | undefined
  /**
   * The nodes of a local network: the web app then offers keys that live in the browser, and asks these nodes. Nodes of a real
   * chain must not stand here, for their urls would be public.
   */
  readonly localNodes: ReadonlyArray<{ readonly chainId: ChainId; readonly url: string }> | undefined
  readonly webhooks: {
    /** How often what is due is looked for. */
    readonly pollMillis: number
    /** How long a sender may take for one attempt; longer than an answer may. */
    readonly leaseMillis: number
    /** Attempts at once in one process. */
    readonly concurrency: number
    /** Attempts at once for one endpoint. */
    readonly perEndpoint: number
    /** How long the log of deliveries goes back. */
    readonly keepMillis: number
  }
}

export class BuilderSettings extends Context.Service<BuilderSettings, BuilderSettingsShape>()(
  "sweep/builder/BuilderSettings"
) {
  static readonly layer = (settings: BuilderSettingsShape) => Layer.succeed(BuilderSettings, settings)
}
