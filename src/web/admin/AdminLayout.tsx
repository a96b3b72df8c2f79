/** The operator's pages. Behind a gateway, every visitor may see them. Otherwise the admin token opens them. */
import { useQuery } from "@tanstack/react-query"
import { Outlet } from "@tanstack/react-router"
import { useState } from "react"
import * as AdminToken from "../api/adminToken.ts"
import { deployment } from "../api/queries.ts"
import { queryClient } from "../api/queryClient.ts"
import { Button } from "../ui/Button.tsx"
import { Input } from "../ui/Field.tsx"
import { Brand } from "../ui/Brand.tsx"
import { Repeating } from "../ui/Repeating.tsx"
import { Shell } from "../ui/Shell.tsx"
import { ErrorState } from "../ui/States.tsx"
import { ThemeChoice } from "../ui/ThemeChoice.tsx"
import { sentence, isFailure } from "../api/failures.ts"
import { alerts } from "./queries.ts"
import { SearchBox } from "./SearchBox.tsx"
import { useDestinations } from "./useDestinations.ts"

function TokenGate() {
  const [token, setToken] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  /** Tries the token before it is kept, so that a wrong one is reported immediately. */
  const open = async () => {
    setBusy(true)
    setError(undefined)
    AdminToken.set(token.trim())
    try {
      await queryClient.fetchQuery({ ...alerts, staleTime: 0, retry: false })
    } catch (failure) {
      AdminToken.set(undefined)
      setError(isFailure(failure, "Unauthorized") ? "The service rejected this token." : sentence(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr]">
      <header className="flex items-center justify-between px-4 py-4 sm:px-8">
        <Brand area="Admin" />
        <ThemeChoice />
      </header>
      <main className="grid grid-cols-1 place-items-center px-4 py-6">
        <form
          className="flex w-full max-w-[27rem] flex-col gap-4 rounded-lg border border-line bg-surface p-5 shadow-card sm:p-7"
          onSubmit={(event) => {
            event.preventDefault()
            void open()
          }}
        >
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Admin console</h1>
            <p className="mt-1 text-muted">
              No single sign-on gateway is configured, so the service's admin token opens the console. It is kept in
              this tab until you close it.
            </p>
          </div>
          <Input
            autoComplete="off"
            error={error}
            label="Admin token"
            onChange={(event) => setToken(event.target.value)}
            required
            type="password"
            value={token}
          />
          <Button busy={busy} type="submit" variant="primary">
            Open the console
          </Button>
        </form>
      </main>
    </div>
  )
}

/**
 * A token that was accepted before opens the console at once, so that its pages ask for their data while the service is asked about the
 * token. It is kept while the service fails, and removed when it is refused. A token that is being tried opens the console once it has an
 * answer.
 */
const useAccess = () => {
  const view = useQuery(deployment)
  const token = AdminToken.useAdminToken()
  const [wasOpen] = useState(() => AdminToken.current() !== undefined)
  const isKept = wasOpen && token !== undefined
  const access = view.data?.consoleAccess
  const answered = useQuery({ ...alerts, enabled: token !== undefined && (access === "admin_token" || isKept) })
  if (access === "gateway") return { state: "open", needsToken: false } as const
  if (token !== undefined && answered.data !== undefined) return { state: "open", needsToken: true } as const
  const failed = view.isError ? view : isKept && answered.isError ? answered : undefined
  if (failed !== undefined) return { state: "waiting", error: failed.error, retry: failed.refetch } as const
  if (isKept) return { state: "open", needsToken: true } as const
  return access === undefined
    ? ({ state: "waiting", error: null, retry: view.refetch } as const)
    : ({ state: "closed" } as const)
}

/** A page without a frame, for what is shown before the visitor is let in. */
function Before({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }) {
  return (
    <main aria-busy={error === null} className="grid min-h-dvh place-items-center">
      <Repeating />
      {error !== null && <ErrorState error={error} retry={retry} />}
    </main>
  )
}

function Leave({ needsToken }: { readonly needsToken: boolean }) {
  if (!needsToken) return <p className="text-sm text-muted">Signed in by the gateway</p>
  return (
    <Button
      icon="lock"
      onClick={() => {
        AdminToken.set(undefined)
        queryClient.removeQueries({ queryKey: [alerts.queryKey[0]] })
      }}
      small
      variant="quiet"
    >
      Lock the console
    </Button>
  )
}

export function AdminLayout() {
  const access = useAccess()
  const destinations = useDestinations(access.state === "open")
  if (access.state === "waiting") return <Before error={access.error} retry={access.retry} />
  if (access.state === "closed") return <TokenGate />
  return (
    <Shell account={<Leave needsToken={access.needsToken} />} area="Admin" destinations={destinations}>
      <SearchBox />
      <Outlet />
    </Shell>
  )
}
