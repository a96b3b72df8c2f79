/** One payout batch: lines, files to pay it with, and its conclusion. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { call } from "./client.ts"
import { sentence } from "../api/failures.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { download } from "../lib/csv.ts"
import { account, transaction } from "../lib/explorer.ts"
import { shorten } from "../lib/shorten.ts"
import { atMoment } from "../lib/time.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Detail, Details } from "../ui/Details.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Input } from "../ui/Field.tsx"
import { Page } from "../ui/Page.tsx"
import { ErrorState, Notice, Skeleton, StaleNotice } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { TokenName } from "../ui/TokenName.tsx"
import { STATUS } from "./PayoutsPage.tsx"
import { type Ending, type PayoutEnd, payoutEnd } from "./payoutEnd.ts"
import { payout } from "./queries.ts"

/** Concludes a batch, as paid or as failed. */
function EndDialog({
  batch,
  ending,
  onClose
}: {
  readonly batch: PayoutBatch
  readonly ending: Ending
  readonly onClose: () => void
}) {
  const client = useQueryClient()
  const [text, setText] = useState("")
  const isPaid = ending === "paid"
  const params = { id: batch.id }
  const entered = payoutEnd(ending, text)
  const end = useMutation({
    mutationKey: [CONSOLE, "endPayout"],
    mutationFn: (payload: PayoutEnd) =>
      call((api) =>
        "txHash" in payload
          ? api.console.markPayoutPaid({ params, payload })
          : api.console.failPayout({ params, payload })
      ),
    onSuccess: async () => {
      toast.done(isPaid ? "The payment is proven and booked." : "The batch is given up. Its amounts are owed again.")
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
            busy={end.isPending}
            disabled={entered === undefined}
            onClick={() => entered !== undefined && end.mutate(entered)}
            variant={isPaid ? "primary" : "danger"}
          >
            {isPaid ? "Mark as paid" : "Give up"}
          </Button>
        </>
      }
      onClose={onClose}
      title={isPaid ? "Mark as paid" : "Give up this batch?"}
    >
      <p className="text-muted">
        {isPaid
          ? "The service checks on the chain that this transaction paid every builder in full, from the vault."
          : "Its amounts are owed again and can be paid by another batch. Make sure that no payment of this batch is pending, and reject it on the Safe if it is queued there."}
      </p>
      {end.isError && <Notice tone="bad">{sentence(end.error)}</Notice>}
      <Input
        label={isPaid ? "Transaction hash" : "Reason"}
        onChange={(event) => setText(event.target.value.trimStart())}
        value={text}
      />
    </Dialog>
  )
}

/** A Safe that runs the file of a closed batch would pay it again, so only its lines are exported. */
function Files({ batch: { id, status } }: { readonly batch: PayoutBatch }) {
  const csv = useMutation({
    mutationKey: [CONSOLE, "csv"],
    mutationFn: () => call((api) => api.console.payoutCsv({ params: { id } })),
    onSuccess: (text) => download(`payout-${id}.csv`, "text/csv", text),
    onError: toast.failed
  })
  const safe = useMutation({
    mutationKey: [CONSOLE, "safe"],
    mutationFn: () => call((api) => api.console.payoutSafe({ params: { id } })),
    onSuccess: (transactions) =>
      download(`payout-${id}.safe.json`, "application/json", JSON.stringify(transactions, null, 2)),
    onError: toast.failed
  })
  return (
    <>
      <Button busy={csv.isPending} icon="download" onClick={() => csv.mutate()}>
        CSV
      </Button>
      {status === "open" && (
        <Button busy={safe.isPending} icon="download" onClick={() => safe.mutate()}>
          Safe JSON
        </Button>
      )}
    </>
  )
}

function Lines({ batch, book }: { readonly batch: PayoutBatch; readonly book: TokenBook }) {
  const chain = book.chain(batch.chainId)
  const token = book.token(batch.chainId, batch.token)
  return (
    <Card flush title="Builders">
      <Table
        caption="Lines of the batch"
        columns={[
          {
            title: "Builder",
            cell: ({ builderId }) => (
              <span className="font-mono text-sm" title={builderId}>
                {shorten(builderId, 12, 6)}
              </span>
            )
          },
          {
            title: "Payout address",
            cell: ({ payoutAddress }) => (
              <Address href={account(chain, payoutAddress)} label="payout address" value={payoutAddress} />
            )
          },
          { title: "Entries", align: "right", cell: ({ entries }) => entries },
          { title: "Amount", align: "right", cell: ({ amount }) => <Amount token={token} value={amount} /> }
        ]}
        rowKey={({ builderId }) => builderId}
        rows={batch.lines}
      />
    </Card>
  )
}

export function PayoutPage() {
  const { id } = useParams({ from: "/admin/payouts/$id" })
  const book = useTokenBook()
  const found = useQuery(payout(id))
  const [ending, setEnding] = useState<Ending>()
  const batch = found.data
  if (batch === undefined) {
    return found.isError ? (
      <ErrorState error={found.error} retry={found.refetch} />
    ) : (
      <Skeleton className="h-96 w-full" />
    )
  }
  const token = book.token(batch.chainId, batch.token)
  const chain = book.chain(batch.chainId)
  return (
    <Page
      actions={<Files batch={batch} />}
      description={<span className="font-mono text-sm break-all">{batch.id}</span>}
      title="Payout batch"
    >
      {found.isError && <StaleNotice error={found.error} retry={found.refetch} />}
      <Card
        actions={
          batch.status === "open" && (
            <>
              <Button onClick={() => setEnding("failed")} small>
                Give up
              </Button>
              <Button onClick={() => setEnding("paid")} small variant="primary">
                Mark as paid
              </Button>
            </>
          )
        }
        flush
        title="Summary"
      >
        <Details>
          <Detail label="Status">
            <Badge tone={STATUS[batch.status][1]}>{STATUS[batch.status][0]}</Badge>
          </Detail>
          <Detail label="Token">
            <TokenName book={book} chainId={batch.chainId} token={batch.token} />
          </Detail>
          <Detail label="Total">
            <Amount token={token} value={batch.total} />
          </Detail>
          <Detail label="Opened">{atMoment(batch.createdAtMs)}</Detail>
          {batch.closedAtMs !== undefined && <Detail label="Closed">{atMoment(batch.closedAtMs)}</Detail>}
          {batch.txHash !== undefined && (
            <Detail label="Transaction">
              <Address href={transaction(chain, batch.txHash)} label="transaction hash" value={batch.txHash} />
            </Detail>
          )}
          {batch.failureReason !== undefined && <Detail label="Given up because">{batch.failureReason}</Detail>}
        </Details>
      </Card>
      <Lines batch={batch} book={book} />
      {ending !== undefined && <EndDialog batch={batch} ending={ending} onClose={() => setEnding(undefined)} />}
    </Page>
  )
}
