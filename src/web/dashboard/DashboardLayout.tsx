/** The builder's pages, for who is signed in. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Navigate, Outlet, useLocation, useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import type { Builder } from "../../domain/Builder.ts"
import { call } from "../api/client.ts"
import { me, MINE } from "../api/queries.ts"
import { shorten } from "../lib/shorten.ts"
import { Button } from "../ui/Button.tsx"
import { type Destination, Shell } from "../ui/Shell.tsx"
import { ErrorState, Skeleton } from "../ui/States.tsx"
import { toast } from "../ui/Toast.tsx"
import { WalletChanged } from "./WalletChanged.tsx"

const DESTINATIONS: ReadonlyArray<Destination> = [
  { to: "/", label: "Overview", icon: "home", exact: true },
  { to: "/activity", label: "Activity", icon: "activity" },
  { to: "/api-key", label: "API key", icon: "key" },
  { to: "/quickstart", label: "Quickstart", icon: "code" },
  { to: "/settings", label: "Settings", icon: "settings" }
]

function Account({ builder, onSignedOut }: { readonly builder: Builder; readonly onSignedOut: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const logout = useMutation({
    mutationFn: () => call((api) => api.auth.logout()),
    onSuccess: async () => {
      onSignedOut()
      client.setQueryData(me.queryKey, null)
      client.removeQueries({ queryKey: [MINE] })
      await navigate({ to: "/sign-in" })
    },
    onError: toast.failed
  })
  return (
    <div className="flex items-center justify-between gap-2">
      <div className="min-w-0">
        <p className="truncate font-medium" title={builder.name}>
          {builder.name}
        </p>
        <p className="font-mono text-xs text-muted" title={builder.payoutAddress}>
          {shorten(builder.payoutAddress)}
        </p>
      </div>
      <Button busy={logout.isPending} icon="logout" onClick={() => logout.mutate()} small variant="quiet">
        Log out
      </Button>
    </div>
  )
}

export function DashboardLayout() {
  const session = useQuery(me)
  const { pathname } = useLocation()
  // A session that ends under the page is explained at the door; one that was never there, or was left, is not.
  const wasSignedIn = useRef(false)
  useEffect(() => {
    if (session.data) wasSignedIn.current = true
  }, [session.data])

  if (session.isError) {
    return (
      <main className="grid min-h-dvh place-items-center">
        <ErrorState error={session.error} retry={session.refetch} />
      </main>
    )
  }
  if (session.data === null) {
    const reason = wasSignedIn.current ? ({ reason: "expired" } as const) : {}
    return <Navigate search={{ ...reason, ...(pathname === "/" ? {} : { from: pathname }) }} to="/sign-in" />
  }
  return (
    <Shell
      account={
        session.data === undefined ? (
          <Skeleton className="h-10 w-full" />
        ) : (
          <Account
            builder={session.data}
            onSignedOut={() => {
              wasSignedIn.current = false
            }}
          />
        )
      }
      area="Builders"
      destinations={DESTINATIONS}
    >
      {session.data !== undefined && (
        <>
          <WalletChanged builder={session.data} />
          <Outlet />
        </>
      )}
    </Shell>
  )
}
