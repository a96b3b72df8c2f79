/** The terms that the owner signed, and the simulation that they passed. */
import type { SweepStory } from "../../../domain/SweepStory.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { readable } from "../../lib/amounts.ts"
import * as explorer from "../../lib/explorer.ts"
import { dollars } from "../../lib/usd.ts"
import { atSecond } from "../../lib/time.ts"
import { Address } from "../../ui/Address.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Card } from "../../ui/Card.tsx"
import { Detail, Details } from "../../ui/Details.tsx"
import { TokenName } from "../../ui/TokenName.tsx"
import { Link } from "@tanstack/react-router"

export interface PartProps {
  readonly book: TokenBook
  readonly story: SweepStory
}

function Fees({ book, story }: PartProps) {
  const { order, quote } = story
  const token = book.token(quote.sourceChainId, order.tokenIn)
  const { feeBreakdown } = quote
  if (feeBreakdown === undefined) return <Amount token={token} value={order.feeAmount + order.builderFee} />
  const parts = [
    ["protocol", feeBreakdown.protocol],
    ["network", feeBreakdown.network],
    ["builder", feeBreakdown.builder]
  ] as const
  return (
    <ul>
      {parts.map(([name, { amount, usd }]) => (
        <li key={name}>
          <Amount token={token} value={amount} />{" "}
          <span className="text-muted">
            {name}, {dollars(usd)}
          </span>
        </li>
      ))}
    </ul>
  )
}

export function Quote({ book, story }: PartProps) {
  const { order, orderDigest, quote } = story
  const source = book.chain(quote.sourceChainId)
  const destination = Number(order.destChainId)
  const tokenOut = book.token(destination, order.tokenOut)
  return (
    <Card description={`Quoted at ${atSecond(story.createdAtMs)}`} flush title="Quote and order">
      <Details>
        <Detail label="Owner">
          <span className="flex flex-wrap items-center gap-x-3">
            <Address href={explorer.account(source, order.owner)} label="owner" value={order.owner} />
            <Link className="text-sm text-accent hover:underline" search={{ q: order.owner }} to="/admin/search">
              All sweeps of this owner
            </Link>
          </span>
        </Detail>
        <Detail label="Sweeps">
          <Amount symbol={false} token={book.token(quote.sourceChainId, order.tokenIn)} value={order.amountIn} />{" "}
          <TokenName book={book} chainId={quote.sourceChainId} token={order.tokenIn} />
        </Detail>
        <Detail label="Into" note={`At least ${readable(quote.minAmountOut, tokenOut?.decimals ?? 0)}`}>
          <Amount symbol={false} token={tokenOut} value={quote.estimatedAmountOut} />{" "}
          <TokenName book={book} chainId={destination} token={order.tokenOut} />
        </Detail>
        <Detail label="Arrives at">
          <Address
            href={explorer.account(book.chain(destination), order.destination)}
            label="destination"
            value={order.destination}
          />
        </Detail>
        <Detail label="Fees">
          <Fees book={book} story={story} />
        </Detail>
        <Detail label="Route" note={quote.appliedTier === undefined ? undefined : `Token tier: ${quote.appliedTier}`}>
          {quote.provider}, about {quote.estimatedSeconds.toLocaleString()} s
        </Detail>
        <Detail label="Deadline">{atSecond(Number(order.deadline) * 1_000)}</Detail>
        <Detail label="User" note={story.network === undefined ? undefined : `From ${story.network}`}>
          {story.userId}
        </Detail>
        <Detail label="Order digest">
          <Address label="order digest" value={orderDigest} />
        </Detail>
      </Details>
    </Card>
  )
}

export function Rehearsal({ book, story }: PartProps) {
  const { rehearsal } = story
  return (
    <Card
      description="A quote exists only if screening, token checks, prices, route and simulation passed."
      flush
      title="Checks and simulation"
    >
      <Details>
        <Detail label="Simulated at block">
          {rehearsal.atBlock.toLocaleString()} on {book.chainName(story.quote.sourceChainId)}
        </Detail>
        <Detail label="Gas limit" note="Gas of the simulation with a margin">
          {rehearsal.gasLimit.toLocaleString()}
        </Detail>
        {rehearsal.coveredGasPrice !== undefined && (
          <Detail label="Network fee covers" note={`Of ${rehearsal.coveredGas?.toLocaleString() ?? "unknown"} gas`}>
            up to {readable(rehearsal.coveredGasPrice, 9)} gwei
          </Detail>
        )}
      </Details>
    </Card>
  )
}
