/** The audit log, newest first. It is read-only. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Card } from "../ui/Card.tsx"
import { LoadMore } from "../ui/LoadMore.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { atMoment } from "../lib/time.ts"
import { Facts } from "./Facts.tsx"
import { audit } from "./queries.ts"

export function AuditPage() {
  const pages = useInfiniteQuery(audit)
  const rows = pages.data?.pages.flatMap(({ records }) => records)
  return (
    <Page description="Every change to accounts and payouts." title="Audit log">
      <Card flush>
        {pages.isError ? (
          <ErrorState error={pages.error} retry={pages.refetch} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="book" title="No changes yet" />
        ) : (
          <Table
            caption="Audit log"
            columns={[
              { title: "When", cell: ({ atMs }) => atMoment(atMs) },
              { title: "Who", cell: ({ actor }) => <span className="font-mono text-xs">{actor}</span> },
              { title: "What", cell: ({ action }) => <span className="font-medium">{action}</span> },
              { title: "On", cell: ({ subject }) => <span className="font-mono text-xs">{subject}</span> },
              { title: "Details", cell: ({ details }) => <Facts facts={details} /> }
            ]}
            rowKey={({ id }) => id}
            rows={rows}
          />
        )}
        <LoadMore pages={pages} />
      </Card>
    </Page>
  )
}
