/** Payout batches. Each pays the amounts owed in one token on one chain in one transaction. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { shorten } from "../lib/shorten.ts"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { LoadMore } from "../ui/LoadMore.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState } from "../ui/States.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { TokenName } from "../ui/TokenName.tsx"
import { OpenPayoutDialog } from "./OpenPayoutDialog.tsx"
import { payouts } from "./queries.ts"

export const STATUS = { open: ["Open", "accent"], paid: ["Paid", "good"], failed: ["Given up", "neutral"] } as const

const columns = (book: TokenBook): ReadonlyArray<Column<PayoutBatch>> => [
  {
    title: "Batch",
    cell: ({ id }) => (
      <Link className="font-mono text-sm text-accent hover:underline" params={{ id }} to="/admin/payouts/$id">
        {shorten(id, 10, 4)}
      </Link>
    )
  },
  { title: "Opened", cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> },
  { title: "Token", cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} /> },
  { title: "Builders", align: "right", cell: ({ lines }) => lines.length },
  {
    title: "Total",
    align: "right",
    cell: ({ chainId, token, total }) => <Amount token={book.token(chainId, token)} value={total} />
  },
  { title: "Status", cell: ({ status }) => <Badge tone={STATUS[status][1]}>{STATUS[status][0]}</Badge> }
]

export function PayoutsPage() {
  const book = useTokenBook()
  const pages = useInfiniteQuery(payouts)
  const [isOpening, setOpening] = useState(false)
  const rows = pages.data?.pages.flatMap((page) => page.payouts)
  return (
    <Page
      actions={
        <Button onClick={() => setOpening(true)} variant="primary">
          Open a batch
        </Button>
      }
      description="Payments to builders whose earnings are owed by the ledger."
      title="Payouts"
    >
      <Card flush title="Batches">
        {pages.isError ? (
          <ErrorState error={pages.error} retry={pages.refetch} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="payout" title="No batches yet">
            Open a batch when builders are owed something.
          </EmptyState>
        ) : (
          <Table caption="Payout batches" columns={columns(book)} rowKey={({ id }) => id} rows={rows} />
        )}
        <LoadMore pages={pages} />
      </Card>
      {isOpening && <OpenPayoutDialog book={book} onClose={() => setOpening(false)} />}
    </Page>
  )
}
