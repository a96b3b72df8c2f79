/** Statuses that a sweep reached, and its delivery. */
import * as explorer from "../../lib/explorer.ts"
import { atSecond } from "../../lib/time.ts"
import { Address } from "../../ui/Address.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Detail, Details } from "../../ui/Details.tsx"
import { EmptyState } from "../../ui/States.tsx"
import { TokenName } from "../../ui/TokenName.tsx"
import type { PartProps } from "./StoryQuote.tsx"
import { statusOf } from "./words.ts"

export function History({ book, story }: PartProps) {
  const source = story.quote.sourceChainId
  const destination = Number(story.order.destChainId)
  return (
    <Card flush title="Statuses">
      {story.history.length === 0 ? (
        <EmptyState icon="activity" title={story.status === "quoted" ? "Nobody signed it" : "Deleted for their age"} />
      ) : (
        <ol className="divide-y divide-line">
          {story.history.map(({ atMs, reason, status, txHash }) => {
            const [label, tone] = statusOf(status)
            const chain = book.chain(status === "delivered" ? destination : source)
            return (
              <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5" key={status}>
                <Badge tone={tone}>{label}</Badge>
                <span className="text-sm">{atSecond(atMs)}</span>
                {reason !== undefined && <code className="text-sm">{reason}</code>}
                {txHash !== undefined && (
                  <Address href={explorer.transaction(chain, txHash)} label="transaction" value={txHash} />
                )}
              </li>
            )
          })}
        </ol>
      )}
    </Card>
  )
}

export function Delivery({ book, story }: PartProps) {
  const { amountOut, arrivedInstead, deliveryTxHash, order, quote, refund } = story
  const destination = Number(order.destChainId)
  if (deliveryTxHash === undefined && amountOut === undefined && arrivedInstead === undefined && refund === undefined)
    return null
  return (
    <Card flush title="Delivery">
      <Details>
        {deliveryTxHash !== undefined && (
          <Detail label="Transaction">
            <Address
              href={explorer.transaction(book.chain(destination), deliveryTxHash)}
              label="delivery"
              value={deliveryTxHash}
            />
          </Detail>
        )}
        {amountOut !== undefined && (
          <Detail label="Arrived">
            <Amount token={book.token(destination, order.tokenOut)} value={amountOut} />
          </Detail>
        )}
        {arrivedInstead !== undefined && (
          <Detail label="Arrived instead" note="The swap on arrival failed.">
            <Amount
              symbol={false}
              token={book.token(destination, arrivedInstead.token)}
              value={arrivedInstead.amount}
            />{" "}
            <TokenName book={book} chainId={destination} token={arrivedInstead.token} />
          </Detail>
        )}
        {refund !== undefined && (
          <Detail label="Returned to the owner">
            <Amount token={book.token(quote.sourceChainId, refund.token)} value={refund.amount} />{" "}
            <Address
              href={explorer.transaction(book.chain(quote.sourceChainId), refund.txHash)}
              label="refund"
              value={refund.txHash}
            />
          </Detail>
        )}
      </Details>
    </Card>
  )
}
