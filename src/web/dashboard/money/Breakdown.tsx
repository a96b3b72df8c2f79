/** Earned, paid and owed by token or by chain. On a phone, two columns have all of it. */
import type { ReactNode } from "react"
import type { EarningsView } from "../../../domain/Earnings.ts"
import type { PriceOf } from "../../api/prices.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { tokenKey } from "../../lib/tokenKey.ts"
import { byValue, dollars } from "../../lib/usd.ts"
import { Amount } from "../../ui/Amount.tsx"
import { LongTable } from "../../ui/LongTable.tsx"
import type { Column } from "../../ui/Table.tsx"
import { TokenName } from "../../ui/TokenName.tsx"
import { sumOf, type TokenLine, type Worth, type Worths, worthOf } from "./worth.ts"

interface Row extends Worths {
  readonly key: string
  readonly name: ReactNode
  /** Present in rows of one token, whose amounts can be shown. */
  readonly line?: TokenLine
}

/** The known value, and a note if a part has no price. */
function Value({ worth: { unpriced, usd } }: { readonly worth: Worth }) {
  if (unpriced.length === 0) return <>{dollars(usd)}</>
  if (usd === "0") return <span className="text-muted">no price</span>
  return (
    <span title="and an amount without a known price">
      {dollars(usd)}+<span className="sr-only"> and an amount without a known price</span>
    </span>
  )
}

const AMOUNTS = { earned: "earned", paid: "paid", owed: "owed" } as const

type Kind = keyof typeof AMOUNTS

const tokenRows = (view: EarningsView, book: TokenBook, priceOf: PriceOf): ReadonlyArray<Row> =>
  view.tokens.map((line) => ({
    ...worthOf(line, book, priceOf),
    key: tokenKey(line.chainId, line.token),
    name: <TokenName book={book} chainId={line.chainId} token={line.token} />,
    line
  }))

const chainRows = (view: EarningsView, book: TokenBook, priceOf: PriceOf): ReadonlyArray<Row> =>
  Array.from(
    Map.groupBy(view.tokens, ({ chainId }) => chainId),
    ([chainId, lines]) => ({
      ...sumOf(lines.map((line) => worthOf(line, book, priceOf))),
      key: String(chainId ?? 0),
      name: chainId === undefined ? <span className="text-muted">without a chain</span> : book.chainName(chainId)
    })
  )

export interface BreakdownProps {
  readonly view: EarningsView
  readonly by: "token" | "chain"
  readonly book: TokenBook
  readonly priceOf: PriceOf
}

export function Breakdown({ book, by, priceOf, view }: BreakdownProps) {
  const rows = (by === "token" ? tokenRows : chainRows)(view, book, priceOf)
  const cell = (kind: Kind) => (row: Row) => (
    <>
      <Value worth={row[kind]} />
      {row.line !== undefined && (
        <span className="block text-xs text-muted">
          <Amount token={book.token(row.line.chainId, row.line.token)} value={row.line[AMOUNTS[kind]]} />
        </span>
      )}
    </>
  )
  const columns: ReadonlyArray<Column<Row>> = [
    { title: by === "token" ? "Token" : "Chain", cell: ({ name }) => name },
    {
      title: "Earned",
      align: "right",
      cell: (row) => (
        <>
          {cell("earned")(row)}
          <span className="mt-1 block text-sm text-muted md:hidden">
            paid <Value worth={row.paid} />
          </span>
          <span className="block text-sm text-muted md:hidden">
            owed <Value worth={row.owed} />
          </span>
        </>
      )
    },
    { title: "Paid", align: "right", cell: cell("paid"), wideOnly: true },
    { title: "Owed now", align: "right", cell: cell("owed"), wideOnly: true }
  ]
  return (
    <LongTable
      caption={`Earnings by ${by}`}
      columns={columns}
      rowKey={({ key }) => key}
      rows={rows.toSorted((a, b) => byValue(a.earned.usd, b.earned.usd))}
    />
  )
}
