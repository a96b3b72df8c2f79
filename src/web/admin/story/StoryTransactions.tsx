/** Transactions that carry or carried a sweep, with every signed version and the receipt. */
import type { SweepStory } from "../../../domain/SweepStory.ts"
import { NATIVE } from "../../lib/native.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { readable } from "../../lib/amounts.ts"
import * as explorer from "../../lib/explorer.ts"
import { atSecond } from "../../lib/time.ts"
import { Address } from "../../ui/Address.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge, type Tone } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { EmptyState } from "../../ui/States.tsx"

type Transaction = SweepStory["transactions"][number]

const stateOf = ({ inclusion, status }: Transaction): readonly [label: string, tone: Tone] => {
  if (status === "pending") return ["In no block", "warn"]
  if (status === "mined") return ["In a block", "accent"]
  return inclusion === undefined ? ["Nonce used by another", "neutral"] : ["Final", "good"]
}

function Versions({ book, transaction }: { readonly book: TokenBook; readonly transaction: Transaction }) {
  const chain = book.chain(transaction.chainId)
  if (transaction.attempts.length === 0)
    return <p className="text-sm text-muted">Its versions were deleted for their age.</p>
  return (
    <ol className="flex flex-col gap-2">
      {transaction.attempts.map(({ broadcastAtMs, hash, maxFeePerGas, signedAtMs }) => (
        <li className="flex flex-wrap items-center gap-x-3 text-sm" key={hash}>
          <Address full href={explorer.transaction(chain, hash)} label="transaction hash" value={hash} />
          {transaction.inclusion?.hash === hash && <Badge tone="good">Included</Badge>}
          <span className="text-muted">
            signed {atSecond(signedAtMs)},{" "}
            {broadcastAtMs === undefined ? "never broadcast" : `last broadcast ${atSecond(broadcastAtMs)}`}, at most{" "}
            {readable(maxFeePerGas, 9)} gwei
          </span>
        </li>
      ))}
    </ol>
  )
}

function Item({ book, transaction }: { readonly book: TokenBook; readonly transaction: Transaction }) {
  const { chainId, cost, inclusion, intents, kind, lane, nonce } = transaction
  const [label, tone] = stateOf(transaction)
  return (
    <li className="flex flex-col gap-2 px-4 py-4 sm:px-5">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span className="font-medium">
          {kind === "cancel" ? "Cancellation" : intents === 1 ? "This sweep alone" : `${intents} sweeps`} on{" "}
          {book.chainName(chainId)}
        </span>
      </p>
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        Nonce {nonce.toLocaleString()} of lane
        <Address href={explorer.account(book.chain(chainId), lane)} label="lane" value={lane} />
      </p>
      <Versions book={book} transaction={transaction} />
      {inclusion !== undefined && (
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          Receipt: block {inclusion.blockNumber.toLocaleString()}
          <Address label="block hash" value={inclusion.blockHash} />
          {cost !== undefined && (
            <span>
              cost <Amount token={book.token(chainId, NATIVE)} value={cost} />
              {intents > 1 && " for all of them"}
            </span>
          )}
        </p>
      )}
    </li>
  )
}

export function Transactions({
  book,
  transactions
}: {
  readonly book: TokenBook
  readonly transactions: ReadonlyArray<Transaction>
}) {
  return (
    <Card flush title="Transactions">
      {transactions.length === 0 ? (
        <EmptyState icon="activity" title="No transaction carries it" />
      ) : (
        <ul className="divide-y divide-line">
          {transactions.map((transaction) => (
            <Item book={book} key={transaction.id} transaction={transaction} />
          ))}
        </ul>
      )}
    </Card>
  )
}
