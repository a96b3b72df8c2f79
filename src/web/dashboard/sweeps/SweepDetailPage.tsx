/** One sweep: its order and its outcome. Refreshes until the sweep has ended. */
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { isFailure } from "../../api/failures.ts"
import { type TokenBook, useTokenBook } from "../../api/tokens.ts"
import type { Sweep } from "../../../domain/Sweep.ts"
import { account } from "../../lib/explorer.ts"
import { Address } from "../../ui/Address.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { CopyIcon } from "../../ui/Copy.tsx"
import { Detail, Details } from "../../ui/Details.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../../ui/States.tsx"
import { isUnderWay, sweep as sweepOf } from "./queries.ts"
import { SweepLinks } from "./SweepLinks.tsx"
import { Timeline } from "./Timeline.tsx"
import { STATUS } from "./words.ts"

function Facts({ book, sweep }: { readonly book: TokenBook; readonly sweep: Sweep | undefined }) {
  const shown = (of: (sweep: Sweep) => ReactNode) =>
    sweep === undefined ? <Skeleton className="h-5 w-40" /> : of(sweep)
  return (
    <Details>
      <Detail label="Status">
        {shown(({ status }) => (
          <Badge tone={STATUS[status][1]}>{STATUS[status][0]}</Badge>
        ))}
      </Detail>
      <Detail label="Sent">
        {shown(({ amountIn, sourceChainId, tokenIn }) => (
          <>
            <Amount token={book.token(sourceChainId, tokenIn)} value={amountIn} />{" "}
            <span className="text-muted">on {book.chainName(sourceChainId)}</span>
          </>
        ))}
      </Detail>
      <Detail label="Receives at least">
        {shown(({ destChainId, minAmountOut, tokenOut }) => (
          <>
            <Amount token={book.token(destChainId, tokenOut)} value={minAmountOut} />{" "}
            <span className="text-muted">on {book.chainName(destChainId)}</span>
          </>
        ))}
      </Detail>
      <Detail label="Your markup">
        {shown(({ builderFee, sourceChainId, tokenIn }) => (
          <Amount token={book.token(sourceChainId, tokenIn)} value={builderFee} />
        ))}
      </Detail>
      <Detail label="Owner">
        {shown(({ owner, sourceChainId }) => (
          <Address full href={account(book.chain(sourceChainId), owner)} label="owner" value={owner} />
        ))}
      </Detail>
    </Details>
  )
}

export function SweepDetailPage() {
  const { id } = useParams({ from: "/dashboard/sweeps/$id" })
  const book = useTokenBook()
  const found = useQuery(sweepOf(id))
  const back = (
    <Link className={buttonClasses("secondary", false)} to="/sweeps">
      All sweeps
    </Link>
  )
  return (
    <Page
      actions={back}
      description={
        <span className="inline-flex max-w-full items-center gap-1">
          <span className="font-mono text-sm break-all">{id}</span>
          <CopyIcon label="Copy sweep id" text={id} />
        </span>
      }
      title="Sweep"
    >
      {found.isError && isFailure(found.error, "NotFound") ? (
        <Card>
          <EmptyState icon="search" title="There is no such sweep">
            None of your sweeps has this id. A sweep appears here after it was submitted.
          </EmptyState>
        </Card>
      ) : found.isError ? (
        <Card>
          <ErrorState error={found.error} retry={found.refetch} />
        </Card>
      ) : (
        <>
          <Card flush title="Order">
            <Facts book={book} sweep={found.data?.sweep} />
          </Card>
          <SweepLinks answer={found.data} book={book} />
          <Card
            description={
              found.data !== undefined && isUnderWay(found.data.sweep)
                ? "Pending. This page updates itself."
                : "Each status of the sweep."
            }
            title="History"
          >
            <div className="min-h-44">
              {found.data === undefined ? (
                <Skeleton className="h-44 w-full" />
              ) : (
                <Timeline book={book} events={found.data.events} sweep={found.data.sweep} />
              )}
            </div>
          </Card>
        </>
      )}
    </Page>
  )
}
