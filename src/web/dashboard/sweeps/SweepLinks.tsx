/** The earning of a sweep, and the messages about it to the builder's webhooks. Each leads to its list. */
import { Link } from "@tanstack/react-router"
import type { SweepTimeline } from "../../../api/builder/SweepsApi.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { Badge } from "../../ui/Badge.tsx"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { EmptyState, Skeleton } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { ActivityTable } from "../ActivityTable.tsx"
import { deliveryStateOf } from "../webhooks/words.ts"

type Answer = typeof SweepTimeline.Type

function Earnings({ answer, book }: { readonly answer: Answer; readonly book: TokenBook }) {
  if (answer.earnings.length > 0) return <ActivityTable book={book} entries={answer.earnings} />
  return (
    <EmptyState icon="activity" title="No earning">
      {answer.sweep.builderFee === 0n
        ? "The sweep has no markup. The operator sets yours."
        : answer.sweep.status === "failed"
          ? "A failed sweep earns nothing."
          : "Your markup is booked when the sweep has settled."}
    </EmptyState>
  )
}

function Deliveries({ deliveries }: Pick<Answer, "deliveries">) {
  if (deliveries.length === 0) {
    return (
      <EmptyState icon="webhook" title="No deliveries">
        Messages about this sweep to your webhooks appear here for 30 days.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Deliveries of this sweep" className="divide-y divide-line">
      {deliveries.map((delivery) => {
        const { createdAtMs, id, messageId, type, webhookId } = delivery
        const [label, tone] = deliveryStateOf(delivery)
        return (
          <li className="flex items-center justify-between gap-3 px-4 py-2.5 sm:px-5" key={id}>
            <span className="min-w-0">
              <Link
                className="block truncate font-mono text-sm text-accent hover:underline"
                params={{ id: webhookId }}
                search={{ q: messageId }}
                to="/webhooks/$id"
              >
                {type}
              </Link>
              <span className="text-sm text-muted">
                <Time ms={createdAtMs} />
              </span>
            </span>
            <Badge tone={tone}>{label}</Badge>
          </li>
        )
      })}
    </ul>
  )
}

export function SweepLinks({ answer, book }: { readonly answer: Answer | undefined; readonly book: TokenBook }) {
  const loading = (
    <div className="p-5">
      <Skeleton className="h-24 w-full" />
    </div>
  )
  return (
    <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-2">
      <Card
        actions={
          answer !== undefined &&
          answer.earnings.length > 0 && (
            <Link className={buttonClasses("secondary", true)} search={{ q: answer.sweep.intentId }} to="/activity">
              Show in activity
            </Link>
          )
        }
        flush
        title="Your earning"
      >
        {answer === undefined ? loading : <Earnings answer={answer} book={book} />}
      </Card>
      <Card flush title="Webhook deliveries">
        {answer === undefined ? loading : <Deliveries deliveries={answer.deliveries} />}
      </Card>
    </div>
  )
}
