/** Health, alerts and stuck sweeps of the orchestrator. */
import { useQuery } from "@tanstack/react-query"
import { Card } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { AlertSummary } from "./AlertSummary.tsx"
import { ConditionBadge, HealthCards } from "./HealthCards.tsx"
import { missingSettings, NotConfigured } from "./NotConfigured.tsx"
import { operationsAlerts, operationsHealth } from "./queries.ts"
import { StuckSweeps } from "./StuckSweeps.tsx"

function Alerts() {
  const found = useQuery(operationsAlerts)
  return (
    <Card description="Each alert ends when its cause is resolved." flush title="Alerts of the orchestrator">
      {found.isError ? (
        <ErrorState error={found.error} retry={found.refetch} />
      ) : found.data === undefined ? (
        <div className="p-5">
          <Skeleton className="h-16 w-full" />
        </div>
      ) : found.data.length === 0 ? (
        <EmptyState icon="check" title="No alerts" />
      ) : (
        <ul className="divide-y divide-line">
          {found.data.map((alert) => (
            <li className="px-4 py-4 sm:px-5" key={alert.id}>
              <AlertSummary alert={alert} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

export function OperationsPage() {
  const health = useQuery(operationsHealth)
  const missing = missingSettings(health.error)
  return (
    <Page
      actions={health.data !== undefined && <ConditionBadge status={health.data.status} />}
      description="Health and alerts of the orchestrator, and stuck sweeps."
      title="Operations"
    >
      {missing === undefined ? (
        <>
          {health.isError ? (
            <Card>
              <ErrorState error={health.error} retry={health.refetch} />
            </Card>
          ) : health.data === undefined ? (
            // As high as a screen, so that the cards below are not seen to move.
            <Skeleton className="h-dvh w-full" />
          ) : (
            <HealthCards health={health.data} />
          )}
          <StuckSweeps />
          <Alerts />
        </>
      ) : (
        <NotConfigured missing={missing} />
      )}
    </Page>
  )
}
