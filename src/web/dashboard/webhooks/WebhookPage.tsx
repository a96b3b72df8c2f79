/** One webhook: state, actions and deliveries. */
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../../ui/States.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { webhooks } from "./queries.ts"
import { WebhookActions } from "./WebhookActions.tsx"
import { WebhookFacts } from "./WebhookFacts.tsx"

/** Its state depends on deliveries, so it is refreshed. */
const LOOK_AGAIN_MILLIS = 5_000

export function WebhookPage() {
  const { id } = useParams({ from: "/dashboard/webhooks/$id" })
  const found = useQuery({ ...webhooks, refetchInterval: LOOK_AGAIN_MILLIS })
  const webhook = found.data?.webhooks.find((each) => each.id === id)
  return (
    <Page
      actions={webhook !== undefined && <WebhookActions webhook={webhook} />}
      description={
        <Link className="text-accent hover:underline" to="/webhooks">
          All webhooks
        </Link>
      }
      title="Webhook"
    >
      {webhook !== undefined ? (
        <>
          <WebhookFacts webhook={webhook} />
          <Deliveries webhook={webhook} />
        </>
      ) : found.isError ? (
        <Card>
          <ErrorState error={found.error} retry={found.refetch} />
        </Card>
      ) : found.data === undefined ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <Card>
          <EmptyState
            action={
              <Link className={buttonClasses("secondary", false)} to="/webhooks">
                Go to your webhooks
              </Link>
            }
            icon="search"
            title="There is no such webhook"
          >
            It may have been deleted.
          </EmptyState>
        </Card>
      )}
    </Page>
  )
}
