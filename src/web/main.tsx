/** Starts the app. */
import { QueryClientProvider } from "@tanstack/react-query"
import { type AnyRoute, RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import * as AdminToken from "./api/adminToken.ts"
import { deployment, me } from "./api/queries.ts"
import { queryClient } from "./api/queryClient.ts"
import { restoreTheme } from "./lib/theme.ts"
import { router } from "./router.tsx"
import { Toasts } from "./ui/kit.ts"
import { discover, isRemembered } from "./wallet/provider.ts"

restoreTheme()
discover()

const routes: Readonly<Record<string, AnyRoute>> = router.routesById

const isConsole = location.pathname.startsWith("/app/admin")

/** True if the visitor will probably be let in. Others see a door, which needs the code of no page. */
const isKnown = isConsole ? AdminToken.current() !== undefined : isRemembered()

const preload = (routeId: string) => void routes[routeId]?.options.component?.preload?.()?.catch(() => undefined)

// The page's code and the facts that every page needs come while the account is asked for, not after it.
if (isKnown) for (const { routeId } of router.matchRoutes(router.latestLocation)) preload(routeId)
else preload(isConsole ? "/admin" : "/sign-in")
void queryClient.prefetchQuery(deployment)
if (!isConsole) void queryClient.prefetchQuery(me)

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>
  )
}
