/** The whole story of a sweep: what the orchestrator knows, and what the books of this backend have. */
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import type { SweepStory } from "../../../domain/SweepStory.ts"
import { isFailure } from "../../api/failures.ts"
import { useTokenBook } from "../../api/tokens.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { CopyIcon } from "../../ui/Copy.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState, Notice, Skeleton } from "../../ui/States.tsx"
import { missingSettings, NotConfigured } from "../NotConfigured.tsx"
import { sweepStory } from "../queries.ts"
import { RetryButton } from "../RetryButton.tsx"
import { StoryBooks } from "./StoryBooks.tsx"
import { Delivery, History } from "./StoryHistory.tsx"
import { Quote, Rehearsal } from "./StoryQuote.tsx"
import { Transactions } from "./StoryTransactions.tsx"
import { statusOf, WAITS } from "./words.ts"

/** Notices about the state of a sweep, with the actions that cannot do harm. */
function Standing({ story }: { readonly story: SweepStory }) {
  const { failureDetail, failureReason, givenUp, id, retryable, waiting } = story
  return (
    <>
      {failureReason !== undefined && (
        <Notice tone="bad">
          It failed: <code>{failureReason}</code>
          {failureDetail === undefined ? "." : `. ${failureDetail}`}
        </Notice>
      )}
      {givenUp !== undefined && (
        <Notice tone="warn">
          It is no longer sent: <code>{givenUp.reason}</code>. {givenUp.detail}
        </Notice>
      )}
      {waiting !== undefined && (
        <Notice action={retryable && <RetryButton id={id} />} tone="warn">
          <p className="font-medium">Waits for: {WAITS[waiting.waitsFor].toLowerCase()}</p>
          <p className="break-words">{waiting.explanation}</p>
          {waiting.advice !== null && <p className="text-sm break-words">{waiting.advice}</p>}
        </Notice>
      )}
      {story.batchId !== undefined && (
        <p className="text-sm text-muted">
          Its owner signed it with other sweeps, as{" "}
          <Link
            className="font-mono break-all text-accent hover:underline"
            search={{ q: story.batchId }}
            to="/admin/search"
          >
            batch {story.batchId}
          </Link>
          .
        </p>
      )}
    </>
  )
}

function Messages({ messages }: Pick<SweepStory, "messages">) {
  return (
    <Card
      description="Bookings and events that the orchestrator reports. Delivered ones are deleted for their age."
      flush
      title="Messages to this backend"
    >
      {messages.length === 0 ? (
        <EmptyState icon="check" title="None are kept" />
      ) : (
        <ul className="divide-y divide-line">
          {messages.map(({ attempts, id, key, state }) => (
            <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5" key={id}>
              <Badge tone={state === "delivered" ? "good" : state === "rejected" ? "bad" : "warn"}>
                {state === "delivered" ? "Delivered" : state === "rejected" ? "Rejected" : "Pending"}
              </Badge>
              <span className="min-w-0 font-mono text-xs break-all">{key}</span>
              {attempts > 0 && (
                <span className="text-sm text-muted">
                  {attempts === 1 ? "1 failed attempt" : `${attempts} failed attempts`}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Story({ id }: { readonly id: string }) {
  const book = useTokenBook()
  const found = useQuery(sweepStory(id))
  const missing = missingSettings(found.error)
  if (missing !== undefined) return <NotConfigured missing={missing} />
  if (found.isError) {
    return (
      <Card>
        {isFailure(found.error, "NotFound") ? (
          <EmptyState icon="search" title="The orchestrator does not know this intent" />
        ) : (
          <ErrorState error={found.error} retry={found.refetch} />
        )}
      </Card>
    )
  }
  // As high as the window, so that what stands below is not seen to move.
  if (found.data === undefined) return <Skeleton className="h-dvh w-full" />
  const story = found.data
  return (
    <>
      <Standing story={story} />
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-2">
        <Quote book={book} story={story} />
        <div className="grid grid-cols-1 gap-5">
          <History book={book} story={story} />
          <Rehearsal book={book} story={story} />
        </div>
      </div>
      <Transactions book={book} transactions={story.transactions} />
      <Delivery book={book} story={story} />
      <Messages messages={story.messages} />
    </>
  )
}

function Status({ id }: { readonly id: string }) {
  const { data } = useQuery(sweepStory(id))
  if (data === undefined) return null
  const [label, tone] = statusOf(data.status)
  return <Badge tone={tone}>{label}</Badge>
}

export function StoryPage() {
  const { id } = useParams({ from: "/admin/sweeps/$id" })
  return (
    <Page
      actions={<Status id={id} />}
      description={
        <span className="inline-flex items-center gap-1 font-mono text-sm break-all">
          {id}
          <CopyIcon label="Copy intent" text={id} />
        </span>
      }
      title="Sweep"
    >
      <Story id={id} />
      <StoryBooks id={id} />
    </Page>
  )
}
