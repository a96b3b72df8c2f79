/** Every entry of a builder's ledger. An accrual can be reversed, which adds an entry. */
import { type InfiniteData, type UseInfiniteQueryResult, useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { EntriesPage } from "../../api/builder/Schemas.ts"
import { call } from "./client.ts"
import { sentence } from "../api/failures.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { useTokenBook } from "../api/tokens.ts"
import { hashOfSweep, transaction } from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Input } from "../ui/Field.tsx"
import { LoadMore } from "../ui/LoadMore.tsx"
import { EmptyState, ErrorState, Notice } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/Toast.tsx"
import { TokenName } from "../ui/TokenName.tsx"

type Entry = (typeof EntriesPage.Type)["entries"][number]

const KINDS = {
  accrual: ["Accrual", "accent"],
  payment: ["Payment", "good"],
  reversal: ["Reversal", "warn"]
} as const

function ReverseDialog({ onClose, sweepId }: { readonly sweepId: string; readonly onClose: () => void }) {
  const client = useQueryClient()
  const [reason, setReason] = useState("")
  const reverse = useMutation({
    mutationKey: [CONSOLE, "reverse"],
    mutationFn: (payload: { readonly sweepId: string; readonly reason: string }) =>
      call((api) => api.console.reverseAccrual({ payload })),
    onSuccess: async ({ booked }) => {
      toast.done(booked === "added" ? "The accrual is taken back." : "It had been taken back already.")
      await client.invalidateQueries({ queryKey: [CONSOLE] })
      onClose()
    }
  })
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            busy={reverse.isPending}
            disabled={reason.trim() === ""}
            onClick={() => reverse.mutate({ sweepId, reason })}
            variant="danger"
          >
            Take back
          </Button>
        </>
      }
      onClose={onClose}
      title="Take back this accrual?"
    >
      <p className="text-muted">A reversal of the full amount is added to the ledger. Nothing is deleted.</p>
      {reverse.isError && <Notice tone="bad">{sentence(reverse.error)}</Notice>}
      <Input
        help="Recorded in the audit log."
        label="Reason"
        maxLength={500}
        onChange={(event) => setReason(event.target.value)}
        required
        value={reason}
      />
    </Dialog>
  )
}

export function BuilderLedger({
  pages
}: {
  readonly pages: UseInfiniteQueryResult<InfiniteData<typeof EntriesPage.Type>>
}) {
  const book = useTokenBook()
  const [reversing, setReversing] = useState<string>()
  const rows = pages.data?.pages.flatMap(({ entries }) => entries)
  const reference = ({ chainId, sweepId, txHash }: Entry) => {
    const hash = txHash ?? (sweepId === undefined ? undefined : hashOfSweep(sweepId))
    if (hash === undefined) return sweepId ?? "none"
    return <Address href={transaction(book.chain(chainId), hash)} label="transaction hash" value={hash} />
  }
  return (
    <Card flush title="Ledger">
      {pages.isError ? (
        <ErrorState error={pages.error} retry={pages.refetch} />
      ) : rows?.length === 0 ? (
        <EmptyState icon="book" title="No entries yet" />
      ) : (
        <Table
          caption="Ledger entries"
          columns={[
            { title: "When", cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> },
            { title: "Kind", cell: ({ kind }) => <Badge tone={KINDS[kind][1]}>{KINDS[kind][0]}</Badge> },
            {
              title: "Token",
              cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} />
            },
            {
              title: "Earned",
              align: "right",
              cell: ({ chainId, earned, token }) => (
                <Amount symbol={false} token={book.token(chainId, token)} value={earned} />
              )
            },
            {
              title: "Paid",
              align: "right",
              cell: ({ chainId, paid, token }) => (
                <Amount symbol={false} token={book.token(chainId, token)} value={paid} />
              )
            },
            { title: "Transaction", cell: reference },
            {
              title: "Action",
              align: "right",
              cell: ({ kind, sweepId }) =>
                kind === "accrual" &&
                sweepId !== undefined && (
                  <Button onClick={() => setReversing(sweepId)} small variant="quiet">
                    Take back
                  </Button>
                )
            }
          ]}
          rowKey={({ id }) => id}
          rows={rows}
        />
      )}
      <LoadMore pages={pages} />
      {reversing !== undefined && <ReverseDialog onClose={() => setReversing(undefined)} sweepId={reversing} />}
    </Card>
  )
}
