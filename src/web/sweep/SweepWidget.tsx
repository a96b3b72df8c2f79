/**
 * The sweep as a React component, on one page: the holdings of all chains, the plan with its review, and the outcome. The page of this
 * app uses it, and other apps can:
 *
 * ```tsx
 * <SweepWidget
 *   orchestratorUrl="https://…"
 *   signer={signer} // of the user's embedded wallet; without one, the user connects a wallet
 *   defaults={{ tokenOut: "USDC", chainId: 8453 }}
 *   onDelivered={({ id, deliveryTxHash }) => track(id, deliveryTxHash)}
 * />
 * ```
 *
 * Its styles are `token-sweep/react/styles.css` in the package. It only connects to the orchestrator and to configured nodes, loads no other resources, and needs no
 * inline script or style. `connect-src` must allow the orchestrator's origin.
 */
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query"
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react"
import {
  createSweepClient,
  type Intent,
  type Node,
  RateLimitedError,
  type RevocationSender,
  SweepError,
  type SweepSigner
} from "../../sdk/index.ts"
import { askAgainAfterFailure, useLastError } from "../api/askAgain.ts"
import { CrashBoundary } from "../ui/CrashBoundary.tsx"
import { CrashNotice } from "../ui/CrashNotice.tsx"
import { Skeleton } from "../ui/States.tsx"
import { discover } from "../wallet/provider.ts"
import type { SweepAccount } from "./account.ts"
import { AccountChip } from "./AccountChip.tsx"
import { Trouble } from "./Banner.tsx"
import { type Catalog, makeCatalog } from "./catalog.ts"
import { ConnectStep } from "./ConnectStep.tsx"
import type { Nodes } from "./keyAccount.ts"
import { type Session, SessionContext } from "./session.ts"
import { useSubmissions } from "./submissions.ts"
import type { TargetDefaults } from "./target.ts"
import { useAccount, useWalletChain } from "./useAccount.ts"
import { useSelection } from "./useSelection.ts"
import { type WidgetReview, widgetReview } from "./widgetReview.ts"

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
   * all others. Must be a stable object.
   */
  readonly review?: WidgetReview
  /** API key of the builder to whom the sweeps are attributed. */
  readonly apiKey?: string
  /** Name of that builder, as people who pay its fee read it. Default: `this app`. */
  readonly builderName?: string
  /** Initial choices. Must be a stable object. */
  readonly defaults?: TargetDefaults
  /** Called once for each sweep that is delivered while the component is mounted. */
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

const loadDesk = () => import("./Desk.tsx").then((module) => ({ default: module.Desk }))

/** Its code comes while the user chooses a wallet. */
const Desk = lazy(loadDesk)

const RETRIES = 2

const makeQueries = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        refetchOnWindowFocus: false,
        retryDelay: (count) => 400 * 2 ** count,
        retry: (count, error) =>
          count < RETRIES && error instanceof SweepError && error.retryable && !(error instanceof RateLimitedError)
      }
    }
  })

const NO_DEFAULTS: TargetDefaults = {}

function Frame() {
  return (
    <div aria-busy="true" className="grid gap-5 pt-14 lg:grid-cols-[minmax(0,1fr)_21rem]">
      <p className="sr-only" role="status">
        Loading
      </p>
      <Skeleton className="h-96 w-full" />
      <Skeleton className="h-96 w-full" />
    </div>
  )
}

interface ConnectedProps extends Omit<SweepWidgetProps, "signer" | "nodes" | "sender" | "theme"> {
  readonly account: SweepAccount
  readonly catalog: Catalog
  readonly disconnect: (() => void) | undefined
}

function Connected({
  account,
  apiKey,
  builderName,
  catalog,
  defaults,
  disconnect,
  heading,
  localNodes,
  onDelivered,
  orchestratorUrl,
  review
}: ConnectedProps) {
  const walletChain = useWalletChain(account)
  const submissions = useSubmissions(orchestratorUrl, account.address)
  const told = useRef(onDelivered)
  useEffect(() => {
    told.current = onDelivered
  }, [onDelivered])
  const tell = useCallback((intent: Intent) => told.current?.(intent), [])
  const client = useMemo(() => {
    const nodes: Record<number, Node> = {}
    for (const { id } of catalog.chains) {
      const node = account.node(id, walletChain)
      if (node !== undefined) nodes[id] = node
    }
    return createSweepClient({ orchestratorUrl, nodes, review: widgetReview(review) })
  }, [orchestratorUrl, account, catalog, review, walletChain])
  const session: Session = {
    client,
    catalog,
    account,
    walletChain,
    submissions,
    apiKey,
    builderName,
    isLocal: localNodes !== undefined,
    onDelivered: tell
  }
  const selection = useSelection(session, defaults ?? NO_DEFAULTS)
  return (
    <SessionContext value={session}>
      <div className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        {heading ?? <h2 className="text-xl font-semibold tracking-tight">Sweep</h2>}
        <AccountChip disconnect={disconnect} />
      </div>
      <Suspense fallback={<Frame />}>
        <Desk selection={selection} />
      </Suspense>
    </SessionContext>
  )
}

function Content(props: SweepWidgetProps) {
  const { intro, localNodes, nodes, orchestratorUrl, sender, signer } = props
  const choice = useAccount({ signer, nodes, sender, localNodes })
  const { account } = choice
  const catalog = useQuery({
    queryKey: ["catalog", orchestratorUrl],
    staleTime: Infinity,
    refetchInterval: askAgainAfterFailure,
    queryFn: async ({ signal }) => {
      const service = createSweepClient({ orchestratorUrl })
      const [chains, tokens] = await Promise.all([service.chains({ signal }), service.tokens({ signal })])
      return makeCatalog(chains, tokens)
    }
  })
  const trouble = useLastError(catalog)
  if (trouble !== null) return <Trouble busy={catalog.isFetching} error={trouble} retry={catalog.refetch} />
  if (account === null) {
    return (
      <>
        {intro}
        <ConnectStep choice={choice} isLocal={localNodes !== undefined} />
      </>
    )
  }
  if (account === undefined || catalog.data === undefined) return <Frame />
  return (
    <Connected
      // Choices and input belong to the account, so they are reset with it.
      key={account.address}
      {...props}
      account={account}
      catalog={catalog.data}
      disconnect={choice.disconnect}
    />
  )
}

export function SweepWidget(props: SweepWidgetProps) {
  const { theme = "system" } = props
  const [queries] = useState(makeQueries)
  useEffect(discover, [])
  useEffect(() => void loadDesk().catch(() => undefined), [])
  return (
    <QueryClientProvider client={queries}>
      <div className="text-ink" {...(theme === "system" ? {} : { "data-theme": theme })}>
        <CrashBoundary fallback={<CrashNotice />}>
          <Content {...props} />
        </CrashBoundary>
      </div>
    </QueryClientProvider>
  )
}
