/** Every builder: find one, or register one. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useDeferredValue, useState } from "react"
import type { BuilderAccount } from "../../domain/Builder.ts"
import { percent } from "../lib/amounts.ts"
import { onDate } from "../lib/time.ts"
import { Address } from "../ui/Address.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Input } from "../ui/Field.tsx"
import { KeyDialog } from "../ui/KeyDialog.tsx"
import { LoadMore } from "../ui/LoadMore.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState } from "../ui/States.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { builders } from "./queries.ts"
import { RegisterDialog } from "./RegisterDialog.tsx"

const COLUMNS: ReadonlyArray<Column<BuilderAccount>> = [
  {
    title: "Builder",
    cell: ({ id, name }) => (
      <span className="block max-w-64">
        <Link
          className="block truncate font-medium text-accent hover:underline"
          params={{ id }}
          to="/admin/builders/$id"
        >
          {name}
        </Link>
        <span className="block truncate font-mono text-xs text-muted" title={id}>
          {id}
        </span>
      </span>
    )
  },
  { title: "Markup", align: "right", cell: ({ builderBps }) => percent(builderBps) },
  { title: "Cap", align: "right", cell: ({ maxBuilderBps }) => percent(maxBuilderBps) },
  { title: "Paid", cell: ({ payoutMode }) => (payoutMode === "onchain" ? "on-chain" : "in batches") },
  {
    title: "Payout address",
    cell: ({ payoutAddress }) => <Address label="payout address" value={payoutAddress} />
  },
  {
    title: "Status",
    cell: ({ suspendedAtMs }) =>
      suspendedAtMs === undefined ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Suspended</Badge>
  },
  { title: "Since", wideOnly: true, cell: ({ createdAtMs }) => onDate(createdAtMs) }
]

export function BuildersPage() {
  const [search, setSearch] = useState("")
  const pages = useInfiniteQuery(builders(useDeferredValue(search.trim())))
  const [isRegistering, setRegistering] = useState(false)
  const [key, setKey] = useState<string>()
  const rows = pages.data?.pages.flatMap((page) => page.builders)
  return (
    <Page
      actions={
        <Button onClick={() => setRegistering(true)} variant="primary">
          Register a builder
        </Button>
      }
      description="Accounts that integrate the sweep, and their markups."
      title="Builders"
    >
      <Card
        actions={
          <Input
            className="sm:w-72"
            hideLabel
            label="Search builders"
            onChange={(event) => setSearch(event.target.value)}
            placeholder="Name, id or address"
            type="search"
            value={search}
          />
        }
        flush
        title="All builders"
      >
        {pages.isError ? (
          <ErrorState error={pages.error} retry={pages.refetch} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="builders" title={search === "" ? "No builders yet" : "No builder matches"}>
            {search === ""
              ? "Builders sign up with their wallet, or you register them."
              : "Search for a part of a name, an id or a payout address."}
          </EmptyState>
        ) : (
          <Table caption="Builders" columns={COLUMNS} rowKey={({ id }) => id} rows={rows} />
        )}
        <LoadMore pages={pages} />
      </Card>
      {isRegistering && (
        <RegisterDialog
          onClose={() => setRegistering(false)}
          onRegistered={(apiKey) => {
            setRegistering(false)
            setKey(apiKey)
          }}
        />
      )}
      {key !== undefined && <KeyDialog secret={key} onClose={() => setKey(undefined)} title="The builder's API key" />}
    </Page>
  )
}
