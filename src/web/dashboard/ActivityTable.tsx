/** Accruals, newest first. On a phone, two columns have all of it. */
import type { Activity, EarningStatus } from "../../domain/LedgerEntry.ts"
import type { TokenBook } from "../api/tokens.ts"
import { hashOfSweep, transaction } from "../lib/explorer.ts"
import { dollars } from "../lib/usd.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { TokenName } from "../ui/TokenName.tsx"
import { statusOf } from "./earningStatus.ts"
import { SweepLink } from "./lists/SweepLink.tsx"

const TONES = { owed: "accent", paid: "good", reversed: "neutral" } as const

export const STATUS_LABELS: Readonly<Record<EarningStatus, string>> = {
  owed: "Owed",
  paid: "Paid",
  reversed: "Taken back"
}

function Transaction({ book, entry }: { readonly book: TokenBook; readonly entry: Activity }) {
  const hash = hashOfSweep(entry.sweepId)
  return (
    <Address
      href={hash === undefined ? undefined : transaction(book.chain(entry.chainId), hash)}
      label={hash === undefined ? "sweep id" : "transaction hash"}
      value={hash ?? entry.sweepId}
    />
  )
}

const Status = ({ entry }: { readonly entry: Activity }) => (
  <Badge tone={TONES[statusOf(entry)]}>{STATUS_LABELS[statusOf(entry)]}</Badge>
)

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
          cell: (entry) => (
            <>
              <TokenName book={book} chainId={entry.chainId} token={entry.token} />
              <span className="mt-1 flex flex-wrap items-center gap-x-2 text-sm text-muted md:hidden">
                <Status entry={entry} />
                <Time ms={entry.createdAtMs} />
              </span>
            </>
          )
        },
        {
          title: "Earned",
          align: "right",
          cell: (entry) => (
            <>
              <Amount symbol={false} token={book.token(entry.chainId, entry.token)} value={entry.amount} />
              {entry.usd !== undefined && (
                <span className="block text-xs text-muted" title="At the price of its settlement">
                  {dollars(entry.usd)}
                </span>
              )}
              <span className="mt-1 block text-sm md:hidden">
                <SweepLink earning={entry} />
              </span>
            </>
          )
        },
        { title: "Status", cell: (entry) => <Status entry={entry} />, wideOnly: true },
        { title: "Sweep", cell: (entry) => <SweepLink earning={entry} />, wideOnly: true },
        { title: "Transaction", cell: (entry) => <Transaction book={book} entry={entry} />, wideOnly: true },
        { title: "When", align: "right", cell: ({ createdAtMs }) => <Time ms={createdAtMs} />, wideOnly: true }
      ]}
      placeholders={placeholders}
      rowKey={({ chainId, sweepId, token }) => `${sweepId}:${chainId ?? ""}:${token}`}
      rows={entries}
    />
  )
}
