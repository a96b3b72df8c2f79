/** Recent volume of delivered sweeps, per token and chain. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { RECENT_DAYS } from "../../api/queries.ts"
import { useTokenBook } from "../../api/tokens.ts"
import { Amount } from "../../ui/Amount.tsx"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { EmptyState, ErrorState } from "../../ui/States.tsx"
import { LongTable } from "../../ui/LongTable.tsx"
import { TokenName } from "../../ui/TokenName.tsx"
import { overview } from "./overview.ts"

export function VolumeCard() {
  const book = useTokenBook()
  const found = useQuery(overview)
  return (
    <Card
      actions={
        <Link className={buttonClasses("secondary", true)} to="/sweeps">
          View sweeps
        </Link>
      }
      description={`Volume of delivered sweeps, last ${RECENT_DAYS} days, in UTC`}
      flush
      title="Volume"
    >
      {found.isError ? (
        <ErrorState error={found.error} retry={found.refetch} />
      ) : found.data?.volume.length === 0 ? (
        <EmptyState icon="sweeps" title="No volume yet">
          The volume of delivered sweeps with your key appears here per token.
        </EmptyState>
      ) : (
        <LongTable
          caption="Volume per token"
          columns={[
            {
              title: "Token",
              cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} />
            },
            { title: "Sweeps", align: "right", cell: ({ sweeps }) => sweeps.toLocaleString() },
            {
              title: "Volume",
              align: "right",
              cell: ({ amount, chainId, token }) => (
                <Amount symbol={false} token={book.token(chainId, token)} value={amount} />
              )
            }
          ]}
          placeholders={3}
          rowKey={({ chainId, token }) => `${chainId}:${token}`}
          rows={found.data?.volume}
        />
      )}
    </Card>
  )
}
