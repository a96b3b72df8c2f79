/** Open alerts. Each stays until it is cleared. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { call } from "./client.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { toast } from "../ui/Toast.tsx"
import { AlertSummary } from "./AlertSummary.tsx"
import { alerts } from "./queries.ts"

function Clear({ alertKey }: { readonly alertKey: string }) {
  const client = useQueryClient()
  const clear = useMutation({
    mutationKey: [CONSOLE, "clear"],
    mutationFn: () => call((api) => api.console.clearAlert({ payload: { key: alertKey } })),
    onSuccess: async () => {
      toast.done("The alert is cleared.")
      await client.invalidateQueries({ queryKey: alerts.queryKey })
    },
    onError: toast.failed
  })
  return (
    <Button busy={clear.isPending} onClick={() => clear.mutate()} small>
      Clear
    </Button>
  )
}

export function AlertsPage() {
  const found = useQuery(alerts)
  return (
    <Page description="An alert stays until its cause is resolved or you clear it." title="Alerts">
      <Card flush>
        {found.isError ? (
          <ErrorState error={found.error} retry={found.refetch} />
        ) : found.data === undefined ? (
          <div className="p-5">
            <Skeleton className="h-32 w-full" />
          </div>
        ) : found.data.length === 0 ? (
          <EmptyState icon="check" title="No alerts">
            Nothing needs your attention.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {found.data.map((alert) => (
              <li className="flex flex-wrap items-start justify-between gap-3 px-4 py-4 sm:px-5" key={alert.key}>
                <AlertSummary alert={alert} />
                <Clear alertKey={alert.key} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </Page>
  )
}
