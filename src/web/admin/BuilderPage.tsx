/** One builder: terms, earnings and ledger. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useTokenBook } from "../api/tokens.ts"
import { atMoment, onDate } from "../lib/time.ts"
import { Address } from "../ui/Address.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Detail, Details } from "../ui/Details.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton, StaleNotice } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { tokenKey } from "../lib/tokenKey.ts"
import { BuilderLedger } from "./BuilderLedger.tsx"
import { BuilderTerms, SuspendButton } from "./BuilderTerms.tsx"
import { positionColumns } from "./positions.tsx"
import { builder as builderQuery, builderEntries, builderTotals } from "./queries.ts"

function Totals({ id }: { readonly id: string }) {
  const book = useTokenBook()
  const totals = useQuery(builderTotals(id))
  const rows = totals.data?.totals
  return (
    <Card flush title="Accruals">
      {totals.isError ? (
        <ErrorState error={totals.error} retry={totals.refetch} />
      ) : rows?.length === 0 ? (
        <EmptyState icon="wallet" title="Nothing earned yet" />
      ) : (
        <Table
          caption="Accruals per token"
          columns={positionColumns(book)}
          placeholders={2}
          rowKey={({ chainId, token }) => tokenKey(chainId, token)}
          rows={rows}
        />
      )}
    </Card>
  )
}

export function BuilderPage() {
  const { id } = useParams({ from: "/admin/builders/$id" })
  const found = useQuery(builderQuery(id))
  const entries = useInfiniteQuery(builderEntries(id))
  const builder = found.data?.builder
  if (builder === undefined) {
    return found.isError ? (
      <ErrorState error={found.error} retry={found.refetch} />
    ) : (
      <Skeleton className="h-96 w-full" />
    )
  }
  const key = found.data?.apiKey
  return (
    <Page
      actions={<SuspendButton builder={builder} />}
      description={<span className="font-mono text-sm break-all">{builder.id}</span>}
      title={builder.name}
    >
      {found.isError && <StaleNotice error={found.error} retry={found.refetch} />}
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-2">
        <Card
          actions={
            builder.suspendedAtMs === undefined ? (
              <Badge tone="good">Active</Badge>
            ) : (
              <Badge tone="bad">Suspended</Badge>
            )
          }
          flush
          title="Account"
        >
          <Details>
            <Detail label="Payout address">
              <Address label="payout address" value={builder.payoutAddress} />
            </Detail>
            <Detail label="API key">
              {key === undefined ? (
                "None"
              ) : (
                <>
                  <code className="font-mono text-sm">{key.prefix}…</code>{" "}
                  <span className="text-muted">
                    {key.lastUsedAtMs === undefined ? "never used" : `last used ${atMoment(key.lastUsedAtMs)}`}
                  </span>
                </>
              )}
            </Detail>
            <Detail label="Since">{onDate(builder.createdAtMs)}</Detail>
            {builder.suspendedAtMs !== undefined && (
              <Detail
                label="Suspended"
                note="Its API key attributes no sweeps. It can still sign in, and its earnings stay owed."
              >
                {atMoment(builder.suspendedAtMs)}
              </Detail>
            )}
          </Details>
        </Card>
        <BuilderTerms builder={builder} key={builder.id} />
      </div>
      <Totals id={id} />
      <BuilderLedger pages={entries} />
    </Page>
  )
}
