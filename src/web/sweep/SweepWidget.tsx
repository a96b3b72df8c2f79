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
import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useEffect, useState } from "react"
import { RateLimitedError } from "../../sdk/model/ApiErrors.ts"
import { SweepError } from "../../sdk/model/SweepError.ts"
import { askAgainAfterFailure, useLastError } from "../api/askAgain.ts"
import { MUTATIONS } from "../api/mutations.ts"
import { CrashBoundary } from "../ui/CrashBoundary.tsx"
import { CrashNotice } from "../ui/CrashNotice.tsx"
import { Skeleton } from "../ui/States.tsx"
import { discover } from "../wallet/provider.ts"
import { Trouble } from "./Banner.tsx"
import { makeCatalog } from "./catalog.ts"
import { ConnectStep } from "./ConnectStep.tsx"
import { serviceOf } from "./service.ts"
import { holdings } from "./session.ts"
import type { SweepWidgetProps } from "./SweepWidgetProps.ts"
import { useAccount } from "./useAccount.ts"

const loadConnected = () => import("./Connected.tsx").then((module) => ({ default: module.Connected }))

/** Its code comes while the user chooses a wallet, or while the account of the host is read. */
const Connected = lazy(loadConnected)

const RETRIES = 2

const makeQueries = () =>
  new QueryClient({
    defaultOptions: {
      mutations: MUTATIONS,
      queries: {
        staleTime: 15_000,
        refetchOnWindowFocus: false,
        retryDelay: (count) => 400 * 2 ** count,
        retry: (count, error) =>
          count < RETRIES && error instanceof SweepError && error.retryable && !(error instanceof RateLimitedError)
      }
    }
  })

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

function Content(props: SweepWidgetProps) {
  const { intro, localNodes, nodes, orchestratorUrl, sender, signer } = props
  const choice = useAccount({ signer, nodes, sender, localNodes })
  const { account } = choice
  const catalog = useQuery({
    queryKey: ["catalog", orchestratorUrl],
    staleTime: Infinity,
    refetchInterval: askAgainAfterFailure,
    queryFn: async ({ signal }) => {
      const service = serviceOf(orchestratorUrl)
      const [chains, tokens] = await Promise.all([service.chains({ signal }), service.tokens({ signal })])
      return makeCatalog(chains, tokens)
    }
  })
  // The tokens are asked for while the catalog and the code that shows them come.
  const queries = useQueryClient()
  const owner = account?.address
  useEffect(() => {
    if (account != null) void queries.prefetchQuery(holdings({ account, client: serviceOf(orchestratorUrl) }))
    // The account is another object after each change of its host. Its tokens are the same.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [queries, orchestratorUrl, owner])
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
    <Suspense fallback={<Frame />}>
      <Connected
        // Choices and input belong to the account, so they are reset with it.
        key={account.address}
        {...props}
        account={account}
        catalog={catalog.data}
        disconnect={choice.disconnect}
      />
    </Suspense>
  )
}

export function SweepWidget(props: SweepWidgetProps) {
  const { theme = "system" } = props
  const [queries] = useState(() => {
    // The code for an account is requested before the first frame is drawn.
    void loadConnected().catch(() => undefined)
    return makeQueries()
  })
  useEffect(discover, [])
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
