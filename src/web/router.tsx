/**
 * Routes of the app. Shared code is loaded with the app, and the code of a page when it is opened or about to be.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect
} from "@tanstack/react-router"
import { queryClient } from "./api/queryClient.ts"
import { me } from "./api/queries.ts"
import { ahead } from "./consoleAhead.ts"
import { DashboardLayout } from "./dashboard/kit.ts"
import type { ListSearch } from "./dashboard/lists/filter.ts"
import { type Period, periodOf } from "./lib/periods.ts"
import { NotFoundPage } from "./ui/NotFoundPage.tsx"
import { CrashPage } from "./ui/CrashPage.tsx"

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: CrashPage })

/** Reason for the sign-in page, and the page to return to. */
export interface SignInSearch {
  readonly reason?: "expired" | "wallet"
  readonly from?: string
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./dashboard/SignInPage.tsx"), "SignInPage"),
  validateSearch: ({ from, reason }: Record<string, unknown>): SignInSearch => ({
    ...(reason === "expired" || reason === "wallet" ? { reason } : {}),
    // Only paths of this app are accepted: a link must not redirect elsewhere after sign-in.
    ...(typeof from === "string" && /^\/(?!\/)/.test(from) ? { from } : {})
  })
})

const dashboard = createRoute({
  getParentRoute: () => root,
  id: "dashboard",
  component: DashboardLayout,
  // Redirects to sign-in before a page is loaded. The layout shows other failures.
  beforeLoad: async ({ location }) => {
    const builder = await queryClient.ensureQueryData(me).catch(() => undefined)
    if (builder === null) {
      const from = location.pathname
      throw redirect({ to: "/sign-in", search: from === "/" ? {} : { from }, replace: true })
    }
  }
})

const overview = createRoute({
  getParentRoute: () => dashboard,
  path: "/",
  component: lazyRouteComponent(() => import("./dashboard/Overview.tsx"), "Overview")
})

/** Filters of a list. Its page ignores invalid ones. */
const listSearch = ({ chain, from, q, status, to, token, type }: Record<string, unknown>): ListSearch => ({
  q,
  status,
  type,
  chain,
  token,
  from,
  to
})

const activity = createRoute({
  getParentRoute: () => dashboard,
  path: "/activity",
  component: lazyRouteComponent(() => import("./dashboard/ActivityPage.tsx"), "ActivityPage"),
  validateSearch: listSearch
})

const sweeps = createRoute({
  getParentRoute: () => dashboard,
  path: "/sweeps",
  component: lazyRouteComponent(() => import("./dashboard/sweeps/SweepPages.tsx"), "SweepsPage"),
  validateSearch: listSearch
})

const sweepDetail = createRoute({
  getParentRoute: () => dashboard,
  path: "/sweeps/$id",
  component: lazyRouteComponent(() => import("./dashboard/sweeps/SweepPages.tsx"), "SweepDetailPage")
})

const webhooks = createRoute({
  getParentRoute: () => dashboard,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./dashboard/webhooks/WebhookPages.tsx"), "WebhooksPage")
})

const webhook = createRoute({
  getParentRoute: () => dashboard,
  path: "/webhooks/$id",
  component: lazyRouteComponent(() => import("./dashboard/webhooks/WebhookPages.tsx"), "WebhookPage"),
  validateSearch: listSearch
})

const apiKey = createRoute({
  getParentRoute: () => dashboard,
  path: "/api-key",
  component: lazyRouteComponent(() => import("./dashboard/keys/KeyPages.tsx"), "KeysPage")
})

const quickstart = createRoute({
  getParentRoute: () => dashboard,
  path: "/quickstart",
  component: lazyRouteComponent(() => import("./dashboard/keys/KeyPages.tsx"), "QuickstartPage")
})

const settings = createRoute({
  getParentRoute: () => dashboard,
  path: "/settings",
  component: lazyRouteComponent(() => import("./dashboard/SettingsPage.tsx"), "SettingsPage")
})

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  component: lazyRouteComponent(() => import("./admin/AdminLayout.tsx"), "AdminLayout")
})

const builders = createRoute({
  getParentRoute: () => admin,
  path: "/",
  component: lazyRouteComponent(() => import("./admin/BuilderPages.tsx"), "BuildersPage"),
  loader: ahead(({ builders: list }) => [queryClient.prefetchInfiniteQuery(list(""))])
})

const builder = createRoute({
  getParentRoute: () => admin,
  path: "/builders/$id",
  component: lazyRouteComponent(() => import("./admin/BuilderPages.tsx"), "BuilderPage")
})

const payouts = createRoute({
  getParentRoute: () => admin,
  path: "/payouts",
  component: lazyRouteComponent(() => import("./admin/PayoutPages.tsx"), "PayoutsPage")
})

const payout = createRoute({
  getParentRoute: () => admin,
  path: "/payouts/$id",
  component: lazyRouteComponent(() => import("./admin/PayoutPages.tsx"), "PayoutPage")
})

const revenue = createRoute({
  getParentRoute: () => admin,
  path: "/revenue",
  component: lazyRouteComponent(() => import("./admin/RevenuePage.tsx"), "RevenuePage")
})

const fees = createRoute({
  getParentRoute: () => admin,
  path: "/fees",
  component: lazyRouteComponent(() => import("./admin/OrchestratorPages.tsx"), "FeesPage")
})

const money = createRoute({
  getParentRoute: () => admin,
  path: "/money",
  component: lazyRouteComponent(() => import("./admin/MoneyPage.tsx"), "MoneyPage"),
  validateSearch: ({ days }: Record<string, unknown>): { readonly days?: number } =>
    typeof days === "number" ? { days } : {},
  loaderDeps: ({ search: { days } }) => ({ period: periodOf(days) }),
  loader: ahead(({ money: earned }, { deps: { period } }: { readonly deps: { readonly period: Period } }) => [
    queryClient.prefetchQuery(earned(period))
  ])
})

const operations = createRoute({
  getParentRoute: () => admin,
  path: "/operations",
  component: lazyRouteComponent(() => import("./admin/OrchestratorPages.tsx"), "OperationsPage"),
  loader: ahead(({ operationsAlerts, stuckSweeps }) => [
    queryClient.prefetchQuery(operationsAlerts),
    queryClient.prefetchQuery(stuckSweeps)
  ])
})

const alerts = createRoute({
  getParentRoute: () => admin,
  path: "/alerts",
  component: lazyRouteComponent(() => import("./admin/AlertsPage.tsx"), "AlertsPage")
})

/** Text of a search. */
export interface AdminSearch {
  readonly q: string
}

const search = createRoute({
  getParentRoute: () => admin,
  path: "/search",
  component: lazyRouteComponent(() => import("./admin/StoryPages.tsx"), "SearchPage"),
  validateSearch: ({ q }: Record<string, unknown>): AdminSearch => ({
    // The router reads a text of digits as a number.
    q: typeof q === "string" || typeof q === "number" ? String(q) : ""
  })
})

const story = createRoute({
  getParentRoute: () => admin,
  path: "/sweeps/$id",
  component: lazyRouteComponent(() => import("./admin/StoryPages.tsx"), "StoryPage"),
  loader: ahead(({ booksOfSweep, sweepStory }, { params: { id } }: { readonly params: { readonly id: string } }) => [
    queryClient.prefetchQuery(sweepStory(id)),
    queryClient.prefetchQuery(booksOfSweep(id))
  ])
})

const controls = createRoute({
  getParentRoute: () => admin,
  path: "/controls",
  component: lazyRouteComponent(() => import("./admin/OrchestratorPages.tsx"), "ControlsPage"),
  loader: ahead(({ pauses }) => [queryClient.prefetchQuery(pauses)])
})

const audit = createRoute({
  getParentRoute: () => admin,
  path: "/audit",
  component: lazyRouteComponent(() => import("./admin/AuditPage.tsx"), "AuditPage")
})

const routeTree = root.addChildren([
  signIn,
  dashboard.addChildren([overview, sweeps, sweepDetail, activity, webhooks, webhook, apiKey, quickstart, settings]),
  admin.addChildren([
    builders,
    builder,
    payouts,
    payout,
    money,
    revenue,
    fees,
    operations,
    controls,
    search,
    story,
    alerts,
    audit
  ])
])

export const router = createRouter({ routeTree, basepath: "/app", defaultPreload: "intent", scrollRestoration: true })

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
