/** The builder's webhooks, and how to receive them. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState } from "../../ui/States.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { webhooks, type Webhook } from "./queries.ts"
import { ReceiverCard } from "./ReceiverCard.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { useWebhookChange } from "./useWebhookChange.ts"
import { WebhookDialog } from "./WebhookDialog.tsx"
import { eventsText, MAX_ENDPOINTS, stateOf } from "./words.ts"

const EMPTY = { url: "", description: "", events: [] }

interface Created {
  readonly webhook: Webhook
  readonly secret: string
}

function WebhookTable({ rows }: { readonly rows: ReadonlyArray<Webhook> | undefined }) {
  return (
    <Table
      caption="Webhooks"
      columns={[
        {
          title: "URL",
          cell: ({ description, id, url }) => (
            <Link className="group block max-w-48 sm:max-w-[28rem]" params={{ id }} to="/webhooks/$id">
              <span className="block truncate font-medium text-accent group-hover:underline">{url}</span>
              {description !== "" && <span className="block truncate text-sm text-muted">{description}</span>}
            </Link>
          )
        },
        {
          title: "Status",
          cell: (webhook) => <Badge tone={stateOf(webhook)[1]}>{stateOf(webhook)[0]}</Badge>
        },
        {
          title: "Events",
          wideOnly: true,
          cell: (webhook) => (
            <span className="block max-w-60 truncate" title={eventsText(webhook)}>
              {eventsText(webhook)}
            </span>
          )
        },
        { title: "Added", align: "right", cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> }
      ]}
      placeholders={2}
      rowKey={({ id }) => id}
      rows={rows}
    />
  )
}

export function WebhooksPage() {
  const navigate = useNavigate()
  const found = useQuery(webhooks)
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<Created>()
  const create = useWebhookChange<Created>({
    onDone: (answer) => {
      setAdding(false)
      setCreated(answer)
    },
    // The dialog shows the error.
    onFailed: () => undefined
  })
  const add = () => {
    create.reset()
    setAdding(true)
  }
  const rows = found.data?.webhooks
  return (
    <Page
      actions={
        <Button disabled={rows === undefined || rows.length >= MAX_ENDPOINTS} onClick={add} variant="primary">
          Add a webhook
        </Button>
      }
      description="Your server is notified when the status of a sweep changes."
      title="Webhooks"
    >
      <Card
        description={rows === undefined ? "Loading …" : `${rows.length} of ${MAX_ENDPOINTS}`}
        flush
        title="Endpoints"
      >
        {found.isError ? (
          <ErrorState error={found.error} retry={found.refetch} />
        ) : rows?.length === 0 ? (
          <EmptyState
            action={
              <Button onClick={add} variant="primary">
                Add your first webhook
              </Button>
            }
            icon="webhook"
            title="No webhooks yet"
          >
            Add a URL of your server. It is notified when a sweep with your key is submitted, settles, arrives or fails.
          </EmptyState>
        ) : (
          <WebhookTable rows={rows} />
        )}
      </Card>
      {/* Not before the list above it has its height, so that it is not seen to move. */}
      {!found.isPending && <ReceiverCard />}
      {isAdding && (
        <WebhookDialog
          busy={create.isPending}
          error={create.error}
          initial={EMPTY}
          onClose={() => setAdding(false)}
          onSave={(payload) => create.mutate((api) => api.webhooks.create({ payload }))}
          save="Add the webhook"
          title="Add a webhook"
        />
      )}
      {created !== undefined && (
        <SecretDialog
          onClose={() => void navigate({ to: "/webhooks/$id", params: { id: created.webhook.id } })}
          secret={created.secret}
        />
      )}
    </Page>
  )
}
