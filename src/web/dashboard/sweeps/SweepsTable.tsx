/** Sweeps, newest first. Each row links to its history. */
import { Link } from "@tanstack/react-router"
import type { Sweep } from "../../../domain/Sweep.ts"
import type { TokenBook } from "../../api/tokens.ts"
import * as explorer from "../../lib/explorer.ts"
import { Address } from "../../ui/Address.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { STATUS } from "./words.ts"

export interface SweepsTableProps {
  readonly book: TokenBook
  readonly sweeps: ReadonlyArray<Sweep> | undefined
}

export function SweepsTable({ book, sweeps }: SweepsTableProps) {
  return (
    <Table
      caption="Sweeps"
      columns={[
        {
          title: "Sent",
          cell: ({ amountIn, intentId, sourceChainId, startedAtMs, tokenIn }) => (
            <>
              <Link className="group inline-block" params={{ id: intentId }} to="/sweeps/$id">
                <span className="font-medium text-accent group-hover:underline">
                  <Amount token={book.token(sourceChainId, tokenIn)} value={amountIn} />
                </span>
                <span className="block text-sm text-muted">on {book.chainName(sourceChainId)}</span>
              </Link>
              <span className="block text-sm text-muted md:hidden">
                <Time ms={startedAtMs} />
              </span>
            </>
          )
        },
        {
          title: "Receives at least",
          cell: ({ destChainId, minAmountOut, tokenOut }) => (
            <>
              <Amount token={book.token(destChainId, tokenOut)} value={minAmountOut} />
              <span className="block text-sm text-muted">on {book.chainName(destChainId)}</span>
            </>
          ),
          wideOnly: true
        },
        {
          title: "Status",
          cell: ({ status }) => <Badge tone={STATUS[status][1]}>{STATUS[status][0]}</Badge>
        },
        {
          title: "Your markup",
          align: "right",
          cell: ({ builderFee, sourceChainId, tokenIn }) => (
            <Amount token={book.token(sourceChainId, tokenIn)} value={builderFee} />
          ),
          wideOnly: true
        },
        {
          title: "Owner",
          cell: ({ owner, sourceChainId }) => (
            <Address href={explorer.account(book.chain(sourceChainId), owner)} label="owner" value={owner} />
          ),
          wideOnly: true
        },
        { title: "When", align: "right", cell: ({ startedAtMs }) => <Time ms={startedAtMs} />, wideOnly: true }
      ]}
      placeholders={10}
      rowKey={({ intentId }) => intentId}
      rows={sweeps}
    />
  )
}
