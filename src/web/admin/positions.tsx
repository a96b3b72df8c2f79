/** Table columns of a token's earned, paid and owed amounts. */
import type { TokenBook } from "../api/tokens.ts"
import { Amount } from "../ui/Amount.tsx"
import type { Column } from "../ui/Table.tsx"
import { TokenName } from "../ui/TokenName.tsx"

const PARTS = [
  ["earned", "Earned"],
  ["paid", "Paid"],
  ["owed", "Owed"]
] as const

interface Position extends Readonly<Record<(typeof PARTS)[number][0], bigint>> {
  readonly chainId?: number
  readonly token: string
}

export const positionColumns = (book: TokenBook): ReadonlyArray<Column<Position>> => [
  { title: "Token", cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} /> },
  ...PARTS.map(([part, title]): Column<Position> => ({
    title,
    align: "right",
    cell: ({ chainId, token, ...amounts }) => (
      <Amount symbol={false} token={book.token(chainId, token)} value={amounts[part]} />
    )
  }))
]
