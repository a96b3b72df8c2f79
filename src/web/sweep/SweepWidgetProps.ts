/** Properties of the widget. */
import type { ReactNode } from "react"
import type { Intent, Node, RevocationSender, SweepSigner } from "../../sdk/index.ts"
import type { Nodes } from "./keyAccount.ts"
import type { TargetDefaults } from "./target.ts"
import type { WidgetReview } from "./widgetReview.ts"

export interface SweepWidgetProps {
  /** Base url of the orchestrator. */
  readonly orchestratorUrl: string
  /** The account to sweep. If absent, the user connects a browser wallet. Must be a stable object. */
  readonly signer?: SweepSigner
  /** Nodes by chain that read the delegation of a signer's account. Must be a stable object. */
  readonly nodes?: Readonly<Record<number, Node>>
  /** Sends and pays revocations of a signer on a chain. If absent, revoking is explained but not offered. Must be stable. */
  readonly sender?: (chainId: number) => RevocationSender | undefined
  /**
   * Delegates, routers, bridges and limits that the app knows. If absent, the review shows fees of any height, and warns about facts that
   * it cannot check: delegates, unless the package was built with those of its deployment, routers and bridges. With `delegates`, it refuses
   * all others. Orders have the EIP-712 domain name of the package, unless `domainName` is another one. Must be a stable object.
   */
  readonly review?: WidgetReview
  /** API key of the builder to whom the sweeps are attributed. */
  readonly apiKey?: string
  /** Name of that builder, as people who pay its fee read it. Default: `this app`. */
  readonly builderName?: string
  /** Initial choices. Must be a stable object. */
  readonly defaults?: TargetDefaults
  /** Called once for each token that is delivered while the component is mounted. `waitForIntent` takes the intent's id. */
  readonly onDelivered?: (intent: Intent) => void
  /** Theme. Default: `system`, which also follows a theme that the page sets. */
  readonly theme?: "light" | "dark" | "system"
  /** Content next to the connected account. */
  readonly heading?: ReactNode
  /** Content above the choice of a wallet, while none is connected. */
  readonly intro?: ReactNode
  /** Nodes of a local network by chain. Enables worthless keys in the browser, so never set it on a real deployment. */
  readonly localNodes?: Nodes
}
