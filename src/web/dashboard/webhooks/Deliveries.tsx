/** Deliveries of a webhook, newest first, with all attempts. Each can be sent again. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { atSecond } from "../../lib/time.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { CopyButton } from "../../ui/Copy.tsx"
import { Select } from "../../ui/Field.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadMore } from "../../ui/LoadMore.tsx"
import { EmptyState, ErrorState, Skeleton } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toast.tsx"
import { deliveries, type Delivery, type Webhook } from "./queries.ts"
import { useWebhookChange } from "./useWebhookChange.ts"
import { attemptText, deliveryStateOf, isAccepted } from "./words.ts"

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
              <pre aria-label="Response" className={`mt-1 ${PRE}`} role="region" tabIndex={0}>
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
                <Link
                  className="ml-2 text-accent hover:underline"
                  params={{ id: messageId.replace(/:[a-z_]+$/, "") }}
                  to="/sweeps/$id"
                >
                  Open the sweep
                </Link>
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
            <pre aria-label="Payload" className={`mt-1 ${PRE}`} role="region" tabIndex={0}>
              {JSON.stringify(JSON.parse(payload), null, 2)}
            </pre>
          </div>
        </div>
      </details>
    </li>
  )
}

const STATES = [
  ["all", "All"],
  ["failed", "Failed"],
  ["pending", "Pending"],
  ["delivered", "Delivered"]
] as const

/** Sends every failed message of the webhook again. */
function SendFailedAgain({ webhook }: { readonly webhook: Webhook }) {
  const replay = useWebhookChange({
    onDone: ({ more, queued }: { readonly more: boolean; readonly queued: number }) =>
      toast.done(
        queued === 0
          ? "No delivery has failed."
          : `${queued.toLocaleString()} are sent again.${more ? " There are more: send again." : ""}`
      )
  })
  return (
    <Button
      busy={replay.isPending}
      disabled={!webhook.enabled}
      icon="refresh"
      onClick={() => replay.mutate((api) => api.webhooks.replayFailed({ params: { id: webhook.id } }))}
      small
    >
      Send all failed again
    </Button>
  )
}

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const [state, setState] = useState<(typeof STATES)[number][0]>("all")
  const pages = useInfiniteQuery(deliveries(webhook.id, state === "all" ? undefined : state))
  const loaded = pages.data?.pages.flatMap((page) => page.deliveries)
  return (
    <Card
      actions={
        <>
          <Select
            hideLabel
            label="State of the deliveries"
            onChange={(event) => setState(STATES.find(([each]) => each === event.target.value)?.[0] ?? "all")}
            value={state}
          >
            {STATES.map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </Select>
          <SendFailedAgain webhook={webhook} />
        </>
      }
      description="Deliveries of the last 30 days. Open one for its attempts, responses and payload."
      flush
      title="Deliveries"
    >
      {pages.isError ? (
        <ErrorState error={pages.error} retry={pages.refetch} />
      ) : loaded === undefined ? (
        <div className="p-5">
          <Skeleton className="h-40 w-full" />
        </div>
      ) : loaded.length === 0 && state !== "all" ? (
        <EmptyState icon="webhook" title="No delivery is in this state" />
      ) : loaded.length === 0 ? (
        <EmptyState icon="webhook" title="No deliveries yet">
          Send a test event to see whether your server receives it.
        </EmptyState>
      ) : (
        <ul aria-label="Deliveries" className="divide-y divide-line">
          {loaded.map((delivery) => (
            <Entry delivery={delivery} isEnabled={webhook.enabled} key={delivery.id} />
          ))}
        </ul>
      )}
      <LoadMore pages={pages} />
    </Card>
  )
}
