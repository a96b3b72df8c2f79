/** Deliveries of a webhook, newest first, with all attempts. Each can be sent again. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { WebhookMessageType } from "../../../domain/Webhook.ts"
import { atSecond } from "../../lib/time.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { CopyButton } from "../../ui/Copy.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { EmptyState, ErrorState, Skeleton } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toast.tsx"
import { FilterBar } from "../lists/FilterBar.tsx"
import { filterOf, isFiltered, type ListFilter, periodOf } from "../lists/filter.ts"
import { PageButtons, Rows, usePageCursor } from "../lists/ListPage.tsx"
import { deliveries, type Delivery, type DeliveryFilter, type Webhook } from "./queries.ts"
import { useWebhookChange } from "./useWebhookChange.ts"
import { attemptText, deliveryStateOf, isAccepted, MESSAGE_TYPES } from "./words.ts"

const PRE =
  "max-h-72 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs break-words whitespace-pre-wrap"

function Attempts({ delivery: { attempts, dueAtMs } }: { readonly delivery: Delivery }) {
  return (
    <div>
      <h3 className="text-sm font-medium">Attempts</h3>
      {attempts.length === 0 && <p className="mt-1 text-muted">None yet.</p>}
      <ol className="mt-1 flex flex-col gap-2">
        {attempts.map((attempt) => (
          <li className="min-w-0" key={attempt.atMs}>
            <p className="flex flex-wrap justify-between gap-x-4 text-sm">
              <span className={isAccepted(attempt) ? "text-good" : "text-bad"}>{attemptText(attempt)}</span>
              <time className="text-muted tabular-nums" dateTime={new Date(attempt.atMs).toISOString()}>
                {atSecond(attempt.atMs)}
              </time>
            </p>
            {attempt.response !== undefined && attempt.response !== "" && (
              <pre
                aria-label={`Response at ${atSecond(attempt.atMs)}`}
                className={`mt-1 ${PRE}`}
                role="region"
                tabIndex={0}
              >
                {attempt.response}
              </pre>
            )}
          </li>
        ))}
      </ol>
      {dueAtMs !== undefined && attempts.length > 0 && (
        <p className="mt-2 text-sm text-muted">Next attempt: {atSecond(dueAtMs)}</p>
      )}
    </div>
  )
}

/** The sweep that a message is about. */
const intentOf = (messageId: string): string => messageId.replace(/:[a-z_]+$/, "")

function Entry({ delivery, isEnabled }: { readonly delivery: Delivery; readonly isEnabled: boolean }) {
  const replay = useWebhookChange({ onDone: () => toast.done("It is sent again.") })
  const { attempts, createdAtMs, id, messageId, payload, type } = delivery
  const [label, tone] = deliveryStateOf(delivery)
  const last = attempts.at(-1)
  return (
    <li>
      <details className="group">
        <summary className="flex min-h-14 list-none items-center gap-3 px-4 py-2.5 hover:bg-canvas sm:px-5">
          <span className="text-muted group-open:rotate-90">
            <Icon name="chevron" size={14} />
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-mono text-sm">{type}</span>
            <span className="block truncate text-sm text-muted">
              <Time ms={createdAtMs} />
              {last !== undefined && ` · ${attemptText(last)}`}
              {attempts.length > 1 && ` · ${attempts.length} attempts`}
            </span>
          </span>
          <Badge tone={tone}>{label}</Badge>
        </summary>
        <div className="flex flex-col gap-4 px-4 pt-1 pb-4 sm:pr-5 sm:pl-12">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="min-w-0 text-sm">
              <span className="text-muted">webhook-id</span>{" "}
              <code className="font-mono text-xs break-all">{messageId}</code>
              {type !== "webhook.test" && (
                <>
                  <Link
                    className="ml-2 text-accent hover:underline"
                    params={{ id: intentOf(messageId) }}
                    to="/sweeps/$id"
                  >
                    Open the sweep
                  </Link>
                  <Link className="ml-2 text-accent hover:underline" search={{ q: intentOf(messageId) }} to="/activity">
                    Show the earning
                  </Link>
                </>
              )}
            </p>
            <Button
              aria-label={`Send again: ${type} ${messageId}`}
              busy={replay.isPending}
              disabled={!isEnabled}
              icon="refresh"
              onClick={() => replay.mutate((api) => api.webhooks.replay({ params: { id } }))}
              small
            >
              Send again
            </Button>
          </div>
          <Attempts delivery={delivery} />
          <div>
            <div className="flex items-center justify-between gap-2">
              <h3 className="text-sm font-medium">Payload</h3>
              <CopyButton text={payload} />
            </div>
            <pre aria-label={`Payload: ${type} ${messageId}`} className={`mt-1 ${PRE}`} role="region" tabIndex={0}>
              {JSON.stringify(JSON.parse(payload), null, 2)}
            </pre>
          </div>
        </div>
      </details>
    </li>
  )
}

const STATES = [
  ["failed", "Failed"],
  ["pending", "Pending"],
  ["delivered", "Delivered"]
] as const

const isState = (text: unknown): text is Delivery["state"] => STATES.some(([state]) => state === text)

const TYPES: ReadonlyArray<readonly [WebhookMessageType, string]> = MESSAGE_TYPES.map((type) => [type, type])

const isType = (text: unknown): text is WebhookMessageType => TYPES.some(([type]) => type === text)

const queryOf = (filter: ListFilter): DeliveryFilter => ({
  ...(isState(filter.status) ? { state: filter.status } : {}),
  ...(isType(filter.type) ? { type: filter.type } : {}),
  ...(filter.q === undefined ? {} : { q: filter.q }),
  ...periodOf(filter)
})

/** Sends every failed message of the webhook that matches the type and the dates again. */
function SendFailedAgain({ filter, webhook }: { readonly webhook: Webhook; readonly filter: DeliveryFilter }) {
  const { fromMs, toMs, type } = filter
  const narrowed = type !== undefined || fromMs !== undefined || toMs !== undefined
  const [isAsking, setAsking] = useState(false)
  const replay = useWebhookChange({
    onDone: (queued: number) => {
      setAsking(false)
      toast.done(
        queued === 0
          ? "No delivery has failed."
          : queued === 1
            ? "1 message is sent again."
            : `${queued.toLocaleString()} messages are sent again.`
      )
    }
  })
  const query = {
    ...(type === undefined ? {} : { type }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs })
  }
  return (
    <>
      <Button disabled={!webhook.enabled} icon="refresh" onClick={() => setAsking(true)} small>
        {narrowed ? "Send the failed of these again" : "Send all failed again"}
      </Button>
      {isAsking && (
        <ConfirmDialog
          busy={replay.isPending}
          cancel="Not now"
          confirm="Send again"
          onCancel={() => setAsking(false)}
          onConfirm={() =>
            replay.mutate((api) => async (signal) => {
              let queued = 0
              let more = true
              while (more) {
                // Each request queues a part. A queued delivery is no longer failed, so this ends.
                // oxlint-disable-next-line no-await-in-loop
                const part = await api.webhooks.replayFailed({ params: { id: webhook.id }, query })(signal)
                queued += part.queued
                more = part.more
              }
              return queued
            })
          }
          title="Send failed messages again?"
          variant="primary"
        >
          {narrowed
            ? `Every failed message${type === undefined ? "" : ` of the type ${type}`}${fromMs === undefined && toMs === undefined ? "" : " of the chosen days"} is sent again, `
            : "Every failed message of the last 30 days is sent again, "}
          the oldest first, with the same webhook-id.
        </ConfirmDialog>
      )}
    </>
  )
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <EmptyState icon="webhook" title="No delivery matches">
      Change the filters to see more. The search finds a whole webhook-id or sweep id.
    </EmptyState>
  ) : (
    <EmptyState icon="webhook" title="No deliveries yet">
      Send a test event to see whether your server receives it.
    </EmptyState>
  )
}

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const navigate = useNavigate()
  const filter = filterOf(useSearch({ from: "/dashboard/webhooks/$id" }), isState)
  const query = queryOf(filter)
  const pages = usePageCursor(JSON.stringify(query))
  const found = useQuery({ ...deliveries(webhook.id, query, pages.cursor), placeholderData: keepPreviousData })
  const rows = found.data?.deliveries
  return (
    <Card
      actions={<SendFailedAgain filter={query} webhook={webhook} />}
      description="Deliveries of the last 30 days. Open one for its attempts, responses and payload."
      flush
      title="Deliveries"
    >
      <FilterBar
        filter={filter}
        finds="webhook-id or sweep id"
        onChange={(search) => void navigate({ to: "/webhooks/$id", params: { id: webhook.id }, search, replace: true })}
        status={{ label: "State of the deliveries", any: "Any state", choices: STATES }}
        type={{ label: "Event", any: "All events", choices: TYPES }}
      />
      {found.isError ? (
        <ErrorState error={found.error} retry={found.refetch} />
      ) : rows === undefined ? (
        <div className="p-5">
          <Skeleton className="h-40 w-full" />
        </div>
      ) : rows.length === 0 ? (
        <Nothing filtered={isFiltered(filter)} />
      ) : (
        <Rows isLoading={found.isPlaceholderData}>
          <ul aria-label="Deliveries" className="divide-y divide-line">
            {rows.map((delivery) => (
              <Entry delivery={delivery} isEnabled={webhook.enabled} key={delivery.id} />
            ))}
          </ul>
        </Rows>
      )}
      <PageButtons isLoading={found.isPlaceholderData} nextCursor={found.data?.nextCursor} pages={pages} />
    </Card>
  )
}
