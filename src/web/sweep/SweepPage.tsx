/** The page for owners of tokens. */
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo } from "react"
import { askAgainAfterFailure, useLastError } from "../api/askAgain.ts"
import { MUTATIONS } from "../api/mutations.ts"
import { Brand } from "../ui/Brand.tsx"
import { EmptyState } from "../ui/States.tsx"
import { ThemeChoice } from "../ui/ThemeChoice.tsx"
import { Toasts } from "../ui/Toast.tsx"
import { Banner, Trouble } from "./Banner.tsx"
import { readDeployment } from "./deployment.ts"
import { SweepWidget } from "./SweepWidget.tsx"

const HEADING = <h1 className="text-2xl font-semibold tracking-tight">Sweep your tokens</h1>

const INTRO = (
  <div className="mx-auto mb-8 max-w-[38rem] pt-2 sm:pt-6">
    <h1 className="text-3xl font-semibold tracking-tight text-balance">Sweep everything into one token</h1>
    <p className="mt-2 text-lg text-muted">
      Sweep your tokens on all chains into the token and chain that you want, with one signature, without gas and
      without approvals.
    </p>
  </div>
)

function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto]">
      <header className="flex items-center justify-between px-4 py-4 sm:px-8">
        <Brand area="" />
        <ThemeChoice />
      </header>
      {/* As high as a phone's window from the start, so that the footer is not seen to move. */}
      <main className="px-4 pt-4 pb-10 max-sm:min-h-dvh sm:px-8">
        <div className="mx-auto w-full max-w-[68rem]">{children}</div>
      </main>
      <footer className="px-4 py-5 text-center text-sm text-muted">
        Your keys stay in your wallet. Each order states what it sends, the minimum that arrives, where, and until when.
      </footer>
    </div>
  )
}

/** Names facts of the deployment that are not the public ones, so that its operator mends them. */
function Contradictions({ found }: { readonly found: ReadonlyArray<string> }) {
  if (found.length === 0) return null
  return (
    <div className="mb-5">
      <Banner tone="warn">
        This deployment is misconfigured. Orders that follow its settings are refused.
        <ul>
          {found.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Banner>
    </div>
  )
}

const queries = new QueryClient({
  defaultOptions: { mutations: MUTATIONS, queries: { retry: 2, refetchOnWindowFocus: false } }
})

function Content() {
  const found = useQuery({
    queryKey: ["deployment"],
    queryFn: async ({ signal }) => {
      // The review of deployments has readers of calldata, which are large.
      const [view, { contradictionsOf, reviewOf }] = await Promise.all([
        readDeployment(signal),
        import("./deploymentReview.ts")
      ])
      return { ...view, review: reviewOf(view.chains, view.domainName), contradictions: contradictionsOf(view.chains) }
    },
    // The review has functions, and must be a stable object.
    structuralSharing: false,
    staleTime: Infinity,
    refetchInterval: askAgainAfterFailure
  })
  const trouble = useLastError(found)
  const { data, isFetching, refetch } = found
  const local = data?.localNetwork
  const localNodes = useMemo(
    () => (local === undefined ? undefined : Object.fromEntries(local.map(({ chainId, url }) => [chainId, url]))),
    [local]
  )
  if (trouble !== null) return <Trouble busy={isFetching} error={trouble} retry={refetch} />
  if (data === undefined) return INTRO
  if (data.orchestratorUrl === undefined) {
    return (
      <EmptyState icon="alert" title="Sweeping is not available here">
        This deployment has no orchestrator. Its operator can set PUBLIC_ORCHESTRATOR_URL.
      </EmptyState>
    )
  }
  return (
    <>
      <Contradictions found={data.contradictions} />
      <SweepWidget
        heading={HEADING}
        intro={INTRO}
        review={data.review}
        orchestratorUrl={data.orchestratorUrl}
        {...(localNodes === undefined ? {} : { localNodes })}
      />
    </>
  )
}

export function SweepPage() {
  return (
    <QueryClientProvider client={queries}>
      <Frame>
        <Content />
      </Frame>
      <Toasts />
    </QueryClientProvider>
  )
}
