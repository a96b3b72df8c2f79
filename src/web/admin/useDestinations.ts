/** The console's menu. Badges tell on every page what needs an operator. */
import { useQuery } from "@tanstack/react-query"
import type { Destination } from "../ui/Shell.tsx"
import { alerts, operationsAlerts, operationsHealth, pauses } from "./queries.ts"

/** A badge with a count, or none for zero. */
const counted = (
  count: number,
  [one, many]: readonly [one: string, many: string],
  tone: "bad" | "warn"
): Pick<Destination, "badge"> =>
  count === 0
    ? {}
    : { badge: { text: count.toLocaleString(), label: `${count.toLocaleString()} ${count === 1 ? one : many}`, tone } }

const ALERTS = ["alert", "alerts"] as const
const SICK = ["chain without fresh blocks", "chains without fresh blocks"] as const
const PAUSED = ["pause", "pauses"] as const

/** `isOpen`: the console is open, so that its queries are allowed. */
export const useDestinations = (isOpen: boolean): ReadonlyArray<Destination> => {
  const options = { enabled: isOpen, retry: false }
  const health = useQuery({ ...operationsHealth, ...options })
  const ofOrchestrator = useQuery({ ...operationsAlerts, ...options })
  const own = useQuery({ ...alerts, ...options })
  const paused = useQuery({ ...pauses, ...options })
  const sick = health.data?.chains.filter(({ status }) => status !== "ok").length ?? 0
  const standing = ofOrchestrator.data?.length ?? 0
  const trouble = sick === 0 ? counted(standing, ALERTS, "warn") : counted(sick, SICK, "bad")
  return [
    { to: "/admin", label: "Builders", icon: "builders", exact: true },
    { to: "/admin/payouts", label: "Payouts", icon: "payout" },
    { to: "/admin/money", label: "Money", icon: "chart" },
    { to: "/admin/revenue", label: "Revenue", icon: "chart" },
    { to: "/admin/fees", label: "Fees", icon: "wallet" },
    { to: "/admin/operations", label: "Operations", icon: "activity", ...trouble },
    {
      to: "/admin/controls",
      label: "Controls",
      icon: "settings",
      ...counted(paused.data?.filter(({ state }) => state === "paused").length ?? 0, PAUSED, "warn")
    },
    { to: "/admin/alerts", label: "Alerts", icon: "alert", ...counted(own.data?.length ?? 0, ALERTS, "bad") },
    { to: "/admin/audit", label: "Audit log", icon: "book" }
  ]
}
