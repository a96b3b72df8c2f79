/** The part of a sweep's story that this backend has: its builder, ledger entries, and messages to webhooks. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { BooksOfSweepView } from "../../../api/builder/StoriesApi.ts"
import { isFailure } from "../../api/failures.ts"
import { useTokenBook } from "../../api/tokens.ts"
import { atSecond } from "../../lib/time.ts"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { EmptyState, ErrorState, Skeleton } from "../../ui/States.tsx"
import { booksOfSweep } from "../queries.ts"

type Books = typeof BooksOfSweepView.Type

const KINDS: Readonly<Record<Books["entries"][number]["kind"], string>> = {
  accrual: "Earned",
  reversal: "Reversed",
  payment: "Paid"
}

function Ledger({ books }: { readonly books: Books }) {
  const book = useTokenBook()
  return (
    <Card
      actions={
        <Link
          className="text-sm break-all text-accent hover:underline"
          params={{ id: books.builderId }}
          to="/admin/builders/$id"
        >
          Builder {books.builderId}
        </Link>
      }
      description="The builder's markup for this settlement"
      flush
      title="Ledger"
    >
      {books.entries.length === 0 ? (
        <EmptyState icon="book" title="Nothing is booked" />
      ) : (
        <ul className="divide-y divide-line">
          {books.entries.map(({ chainId, createdAtMs, earned, id, kind, paid, token }) => (
            <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5" key={id}>
              <Badge tone={kind === "reversal" ? "bad" : "good"}>{KINDS[kind]}</Badge>
              <Amount token={book.token(chainId, token)} value={earned} />
              <span className="text-sm text-muted">
                entry {id}, {paid === 0n ? "owed" : "paid by the sweep itself"}, booked {atSecond(createdAtMs)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Webhooks({ books }: { readonly books: Books }) {
  return (
    <Card description="Messages about this sweep to the builder's endpoints" flush title="Webhooks">
      {books.deliveries.length === 0 ? (
        <EmptyState icon="webhook" title="No messages are kept" />
      ) : (
        <ul className="divide-y divide-line">
          {books.deliveries.map(({ attempts, id, state, type, webhookId }) => {
            const last = attempts.at(-1)
            return (
              <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5" key={id}>
                <Badge tone={state === "delivered" ? "good" : state === "failed" ? "bad" : "warn"}>
                  {state === "delivered" ? "Delivered" : state === "failed" ? "Failed" : "Pending"}
                </Badge>
                <code className="text-sm">{type}</code>
                <span className="text-sm text-muted">
                  to <span className="font-mono text-xs break-all">{webhookId}</span>
                  {last !== undefined &&
                    `, attempt ${attempts.length} at ${atSecond(last.atMs)}: ${last.statusCode ?? last.error ?? "no answer"}`}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}

export function StoryBooks({ id }: { readonly id: string }) {
  const found = useQuery(booksOfSweep(id))
  if (found.isError) {
    return (
      <Card title="Builder">
        {isFailure(found.error, "NotFound") ? (
          <EmptyState icon="builders" title="Attributed to no builder">
            So this backend has neither ledger entries nor webhook messages about it.
          </EmptyState>
        ) : (
          <ErrorState error={found.error} retry={found.refetch} />
        )}
      </Card>
    )
  }
  if (found.data === undefined) return <Skeleton className="h-32 w-full" />
  return (
    <>
      <Ledger books={found.data} />
      <Webhooks books={found.data} />
    </>
  )
}
