/** Owed, paid and total earned amounts per token. */
import type { AccrualsView } from "../../api/builder/AccountSchemas.ts"
import type { UseQueryResult } from "@tanstack/react-query"
import { lazy, Suspense } from "react"
import type { TokenBook } from "../api/tokens.ts"
import { exact } from "../lib/amounts.ts"
import { download, toCsv } from "../lib/csv.ts"
import { tokenKey } from "../lib/tokenKey.ts"
import { Amount } from "../ui/Amount.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { EmptyState, ErrorState } from "../ui/States.tsx"
import { linesOf, type BalanceLine as Line } from "./balanceLines.ts"
import { LongTable } from "../ui/LongTable.tsx"
import type { Column } from "../ui/Table.tsx"
import { TokenName } from "../ui/TokenName.tsx"

const Worth = lazy(async () => ({ default: (await import("./Worth.tsx")).Worth }))

const toFile = (lines: ReadonlyArray<Line>, book: TokenBook): string =>
  toCsv(
    ["chain_id", "token", "symbol", "decimals", "owed", "paid", "lifetime", "owed_units"],
    lines.map(({ chainId, lifetime, owed, paid, token }) => {
      const known = book.token(chainId, token)
      const decimals = known?.decimals ?? 0
      const amounts = [owed, paid, lifetime].map((amount) => exact(amount, decimals))
      return [chainId ?? "", token, known?.symbol ?? "", known?.decimals ?? "", ...amounts, owed]
    })
  )

function OwedNote({ line: { isHeld, owed } }: { readonly line: Line }) {
  const note = isHeld
    ? "Not paid: your contract wallet is on another chain. Ask the operator."
    : owed < 0n
      ? "Paid before it was reversed. Later earnings reduce it."
      : undefined
  return note === undefined ? null : <span className="block text-xs text-muted">{note}</span>
}

export function Balances({
  book,
  totals
}: {
  readonly book: TokenBook
  readonly totals: UseQueryResult<typeof AccrualsView.Type>
}) {
  const lines = totals.data === undefined ? undefined : linesOf(totals.data)
  const amount = (title: string, of: (line: Line) => bigint, wideOnly = true): Column<Line> => ({
    title,
    align: "right",
    wideOnly,
    cell: (line) => {
      const known = book.token(line.chainId, line.token)
      const { chainId, token } = line
      return (
        <>
          <Amount symbol={false} token={known} value={of(line)} />
          <span className="block min-h-4 text-xs text-muted">
            {known !== undefined && (
              <Suspense fallback={null}>
                <Worth chainId={chainId} decimals={known.decimals} token={token} value={of(line)} />
              </Suspense>
            )}
          </span>
          {!wideOnly && <OwedNote line={line} />}
          {!wideOnly && (
            <span className="block text-sm text-muted md:hidden">
              of <Amount symbol={false} token={known} value={line.lifetime} />
            </span>
          )}
        </>
      )
    }
  })
  return (
    <Card
      actions={
        <Button
          disabled={lines === undefined || lines.length === 0}
          icon="download"
          onClick={() => lines !== undefined && download("balances.csv", "text/csv", toFile(lines, book))}
          small
        >
          Export CSV
        </Button>
      }
      flush
      title="Balances"
    >
      {totals.isError ? (
        <ErrorState error={totals.error} retry={totals.refetch} />
      ) : lines?.length === 0 ? (
        <EmptyState icon="wallet" title="No balances yet">
          Earnings from your markup are listed here per token: owed, paid and total.
        </EmptyState>
      ) : (
        <LongTable
          caption="Balances per token"
          columns={[
            {
              title: "Token",
              cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} />
            },
            amount("Owed", ({ owed }) => owed, false),
            amount("Paid", ({ paid }) => paid),
            amount("Lifetime", ({ lifetime }) => lifetime)
          ]}
          placeholders={3}
          rowKey={({ chainId, token }) => tokenKey(chainId, token)}
          rows={lines}
        />
      )}
    </Card>
  )
}
