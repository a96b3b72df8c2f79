/** Table columns of a token's earned, paid, owed and claimed amounts. */
import type { TokenBook } from "../api/tokens.ts"
import { Badge } from "../ui/Badge.tsx"
import { Amount } from "../ui/Amount.tsx"
import type { Column } from "../ui/Table.tsx"
import { TokenName } from "../ui/TokenName.tsx"

const PARTS = [
  ["earned", "Earned"],
  ["paid", "Paid"],
  ["owed", "Owed"],
  ["claimed", "Claimed"],
  ["unclaimed", "Unclaimed"]
] as const

interface Position extends Readonly<Record<(typeof PARTS)[number][0], bigint>> {
  readonly chainId?: number
  readonly token: string
}

export const positionColumns = (book: TokenBook): ReadonlyArray<Column<Position>> => [
  {
    title: "Token",
    cell: ({ chainId, token }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <TokenName book={book} chainId={chainId} token={token} />
        {chainId === undefined && <Badge tone="warn">No chain</Badge>}
      </span>
    )
  },
  ...PARTS.map(([part, title]): Column<Position> => ({
    title,
    align: "right",
    cell: ({ chainId, token, ...amounts }) => (
      <Amount symbol={false} token={book.token(chainId, token)} value={amounts[part]} />
    )
  }))
]
