/** Payout batches. Each pays the amounts owed in one token on one chain in one transaction. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { type FormEvent, useId, useState } from "react"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { call } from "./client.ts"
import { sentence } from "../api/failures.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { parse } from "../lib/amounts.ts"
import { shorten } from "../lib/shorten.ts"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Input, Select } from "../ui/Field.tsx"
import { LoadMore } from "../ui/LoadMore.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Notice } from "../ui/States.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { TokenName } from "../ui/TokenName.tsx"
import { tokenKey } from "../dashboard/earnings.ts"
import { payouts, treasury } from "./queries.ts"

export const STATUS = { open: ["Open", "accent"], paid: ["Paid", "good"], failed: ["Given up", "neutral"] } as const

function OpenDialog({ book, onClose }: { readonly book: TokenBook; readonly onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useId()
  const positions = useQuery(treasury)
  const owed = positions.data?.positions.filter((position) => position.owed > 0n && position.chainId !== undefined)
  const [chosen, setChosen] = useState("")
  const [least, setLeast] = useState("")
  const position = owed?.find(({ chainId, token }) => tokenKey(chainId, token) === chosen) ?? owed?.[0]
  const token = position === undefined ? undefined : book.token(position.chainId, position.token)
  const minAmount = least.trim() === "" ? undefined : parse(least, token?.decimals ?? 0)
  const isMalformed = least.trim() !== "" && minAmount === undefined
  const open = useMutation({
    mutationKey: [CONSOLE, "openPayout"],
    mutationFn: async () => {
      if (position?.chainId === undefined) throw new Error("nothing is owed")
      const { chainId, token: address } = position
      return call((api) =>
        api.console.openPayout({
          payload: { chainId, token: address, ...(minAmount === undefined ? {} : { minAmount }) }
        })
      )
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: [CONSOLE] })
      await navigate({ to: "/admin/payouts/$id", params: { id } })
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMalformed) open.mutate()
  }
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={open.isPending} disabled={position === undefined} form={form} type="submit" variant="primary">
            Open the batch
          </Button>
        </>
      }
      onClose={onClose}
      title="Open a payout batch"
    >
      {owed?.length === 0 ? (
        <p className="text-muted">No builder is owed anything.</p>
      ) : (
        <form className="flex flex-col gap-4" id={form} onSubmit={submit}>
          <p className="text-muted">
            The batch takes all amounts owed in one token. Then pay it from the vault and enter the transaction.
          </p>
          {open.isError && <Notice tone="bad">{sentence(open.error)}</Notice>}
          <Select label="Token" onChange={(event) => setChosen(event.target.value)} value={chosen}>
            {owed?.map(({ chainId, token: address }) => (
              <option key={tokenKey(chainId, address)} value={tokenKey(chainId, address)}>
                {book.token(chainId, address)?.symbol ?? shorten(address)} on {book.chain(chainId)?.name ?? chainId}
              </option>
            ))}
          </Select>
          {position !== undefined && (
            <p>
              <span className="text-muted">Owed in total: </span>
              <Amount token={token} value={position.owed} />
            </p>
          )}
          <Input
            error={isMalformed ? "This is not an amount of the token." : undefined}
            help="Builders who are owed less are left out. If empty, all builders are paid."
            inputMode="decimal"
            label={`Least amount${token === undefined ? ", in smallest units" : `, in ${token.symbol}`}`}
            onChange={(event) => setLeast(event.target.value)}
            value={least}
          />
        </form>
      )}
    </Dialog>
  )
}

const columns = (book: TokenBook): ReadonlyArray<Column<PayoutBatch>> => [
  {
    title: "Batch",
    cell: ({ id }) => (
      <Link className="font-mono text-sm text-accent hover:underline" params={{ id }} to="/admin/payouts/$id">
        {shorten(id, 10, 4)}
      </Link>
    )
  },
  { title: "Opened", cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> },
  { title: "Token", cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} /> },
  { title: "Builders", align: "right", cell: ({ lines }) => lines.length },
  {
    title: "Total",
    align: "right",
    cell: ({ chainId, token, total }) => <Amount token={book.token(chainId, token)} value={total} />
  },
  { title: "Status", cell: ({ status }) => <Badge tone={STATUS[status][1]}>{STATUS[status][0]}</Badge> }
]

export function PayoutsPage() {
  const book = useTokenBook()
  const pages = useInfiniteQuery(payouts)
  const [isOpening, setOpening] = useState(false)
  const rows = pages.data?.pages.flatMap((page) => page.payouts)
  return (
    <Page
      actions={
        <Button onClick={() => setOpening(true)} variant="primary">
          Open a batch
        </Button>
      }
      description="Payments to builders whose earnings are owed by the ledger."
      title="Payouts"
    >
      <Card flush title="Batches">
        {pages.isError ? (
          <ErrorState error={pages.error} retry={pages.refetch} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="payout" title="No batches yet">
            Open a batch when builders are owed something.
          </EmptyState>
        ) : (
          <Table caption="Payout batches" columns={columns(book)} rowKey={({ id }) => id} rows={rows} />
        )}
        <LoadMore pages={pages} />
      </Card>
      {isOpening && <OpenDialog book={book} onClose={() => setOpening(false)} />}
    </Page>
  )
}
