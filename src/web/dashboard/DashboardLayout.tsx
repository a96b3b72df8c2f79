/** Frame of the pages of a signed-in builder. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router"
import { Fragment, useEffect, useRef } from "react"
import type { Builder } from "../../domain/Builder.ts"
import { call } from "../api/client.ts"
import { me, MINE } from "../api/queries.ts"
import { shorten } from "../lib/shorten.ts"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { type Destination, Shell } from "../ui/Shell.tsx"
import { ErrorState, Skeleton } from "../ui/States.tsx"
import { toast } from "../ui/Toast.tsx"
import { WalletChanged } from "./WalletChanged.tsx"

const DESTINATIONS: ReadonlyArray<Destination> = [
  { to: "/", label: "Overview", icon: "home", exact: true },
  { to: "/sweeps", label: "Sweeps", icon: "sweeps" },
  { to: "/activity", label: "Activity", icon: "activity" },
  { to: "/webhooks", label: "Webhooks", icon: "webhook" },
  { to: "/api-key", label: "API keys", icon: "key" },
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
      <Button
        aria-label="Log out"
        busy={logout.isPending}
        onClick={() => logout.mutate()}
        small
        title="Log out"
        variant="quiet"
      >
        <Icon name="logout" />
      </Button>
    </div>
  )
}

/** The session. Another tab may have changed it, so it is read again when the window gets the focus. */
const useSession = () => {
  const session = useQuery(me)
  const { refetch } = session
  useEffect(() => {
    const ask = () => void refetch({ cancelRefetch: false })
    addEventListener("focus", ask)
    return () => removeEventListener("focus", ask)
  }, [refetch])
  const builder = session.data
  const before = useRef(builder)
  useEffect(() => {
    if (before.current && builder && before.current.id !== builder.id) {
      toast.done(`You are signed in as ${builder.name}. Another tab changed the account.`)
    }
    before.current = builder
  }, [builder])
  return session
}

export function DashboardLayout() {
  const session = useSession()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  // The sign-in page explains that a session expired, but not after a sign-out or without an earlier session.
  const wasSignedIn = useRef(false)
  const isNobody = session.data === null
  useEffect(() => {
    if (session.data) wasSignedIn.current = true
    // This page is still shown until the sign-in page has loaded.
    if (!isNobody || pathname === "/sign-in") return
    const search = {
      ...(wasSignedIn.current ? ({ reason: "expired" } as const) : {}),
      ...(pathname === "/" ? {} : { from: pathname })
    }
    void navigate({ to: "/sign-in", search, replace: true })
  }, [session.data, isNobody, navigate, pathname])

  // A session that was read before stays shown, with what is typed on its pages.
  if (session.isError && session.data === undefined) {
    return (
      <main className="grid min-h-dvh place-items-center">
        <ErrorState error={session.error} retry={session.refetch} />
      </main>
    )
  }
  // Nothing is shown during the redirect to sign-in.
  if (session.data === null) return null
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
        // Pages and their dialogs belong to the account.
        <Fragment key={session.data.id}>
          <WalletChanged builder={session.data} />
          <Outlet />
        </Fragment>
      )}
    </Shell>
  )
}
