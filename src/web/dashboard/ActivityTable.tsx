/** Accruals, newest first. */
import type { Activity } from "../../domain/LedgerEntry.ts"
import type { TokenBook } from "../api/tokens.ts"
import { hashOfSweep, transaction } from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { TokenName } from "../ui/TokenName.tsx"

export type ActivityState = "owed" | "paid" | "reversed"

export const stateOf = ({ paid, reversed }: Activity): ActivityState =>
  reversed === true ? "reversed" : paid ? "paid" : "owed"

const TONES = { owed: "accent", paid: "good", reversed: "neutral" } as const

const LABELS = { owed: "Owed", paid: "Paid", reversed: "Taken back" } as const

function Sweep({ book, entry }: { readonly book: TokenBook; readonly entry: Activity }) {
  const hash = hashOfSweep(entry.sweepId)
  return (
    <Address
      href={hash === undefined ? undefined : transaction(book.chain(entry.chainId), hash)}
      label={hash === undefined ? "sweep id" : "transaction hash"}
      value={hash ?? entry.sweepId}
    />
  )
}

export interface ActivityTableProps {
  readonly book: TokenBook
  readonly entries: ReadonlyArray<Activity> | undefined
  readonly placeholders?: number
}

export function ActivityTable({ book, entries, placeholders = 10 }: ActivityTableProps) {
  return (
    <Table
      caption="Activity"
      columns={[
        {
          title: "Token",
          cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} />
        },
        {
          title: "Earned",
          align: "right",
          cell: ({ amount, chainId, token }) => (
            <Amount symbol={false} token={book.token(chainId, token)} value={amount} />
          )
        },
        { title: "Status", cell: (entry) => <Badge tone={TONES[stateOf(entry)]}>{LABELS[stateOf(entry)]}</Badge> },
        { title: "Sweep", cell: (entry) => <Sweep book={book} entry={entry} /> },
        { title: "When", align: "right", cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> }
      ]}
      placeholders={placeholders}
      rowKey={({ chainId, sweepId, token }) => `${sweepId}:${chainId ?? ""}:${token}`}
      rows={entries}
    />
  )
}
