/** Stuck sweeps: the cause of each, the operator's action, and a retry for those without a transaction. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { StuckIntent } from "../../domain/StuckIntent.ts"
import { call } from "./client.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import * as explorer from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/Toast.tsx"
import { stuckSweeps } from "./queries.ts"

const WORDS: Readonly<Record<StuckIntent["waitsFor"], string>> = {
  operator: "An operator",
  chain: "A chain's node",
  lane: "A lane",
  owner: "Its owner's turn",
  lease: "Its relayer",
  rest: "Its next try",
  gas_price: "A lower price of gas",
  relayer: "A relayer",
  broadcast: "A node to take it",
  inclusion: "A block",
  confirmation: "Confirmations",
  expiry: "Its end",
  delivery: "Delivery"
}

function Retry({ id }: { readonly id: string }) {
  const client = useQueryClient()
  const retry = useMutation({
    mutationKey: [CONSOLE, "retry"],
    mutationFn: () => call((api) => api.operations.retry({ params: { id } })),
    onSuccess: async ({ explanation }) => {
      toast.done(explanation)
      await client.invalidateQueries({ queryKey: stuckSweeps.queryKey })
    },
    onError: toast.failed
  })
  return (
    <Button aria-label={`Retry ${id}`} busy={retry.isPending} icon="refresh" onClick={() => retry.mutate()} small>
      Retry
    </Button>
  )
}

function Sweep({ book, sweep }: { readonly book: TokenBook; readonly sweep: StuckIntent }) {
  const source = book.chain(sweep.sourceChainId)
  const route =
    sweep.sourceChainId === sweep.destChainId
      ? `on ${book.chainName(sweep.sourceChainId)}`
      : `${book.chainName(sweep.sourceChainId)} → ${book.chainName(sweep.destChainId)}`
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-4 py-4 sm:px-5">
      <div className="min-w-0 flex-1 basis-96">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone="warn">{WORDS[sweep.waitsFor]}</Badge>
          <span className="font-medium">
            {sweep.status === "submitted" ? "Submitted" : "Settled"} <Time ms={sweep.sinceMs} />, {route}
          </span>
        </p>
        <p className="mt-1 break-words">{sweep.explanation}</p>
        {sweep.advice !== null && <p className="mt-1 break-words text-sm text-muted">{sweep.advice}</p>}
        <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <div className="flex min-w-0 flex-wrap items-center gap-x-1.5">
            <dt className="text-muted">Intent</dt>
            <dd className="font-mono text-xs break-all">{sweep.id}</dd>
          </div>
          <div className="flex items-center gap-1.5">
            <dt className="text-muted">Owner</dt>
            <dd>
              <Address href={explorer.account(source, sweep.owner)} label="owner" value={sweep.owner} />
            </dd>
          </div>
          {sweep.pendingFailureReason !== undefined && (
            <div className="flex items-center gap-1.5">
              <dt className="text-muted">Will fail as</dt>
              <dd className="font-mono text-xs">{sweep.pendingFailureReason}</dd>
            </div>
          )}
          {sweep.txHash !== undefined && (
            <div className="flex items-center gap-1.5">
              <dt className="text-muted">Transaction</dt>
              <dd>
                <Address
                  href={explorer.transaction(source, sweep.txHash)}
                  label="transaction hash"
                  value={sweep.txHash}
                />
              </dd>
            </div>
          )}
          {sweep.builderId !== undefined && (
            <div className="flex min-w-0 items-center gap-1.5">
              <dt className="text-muted">Builder</dt>
              <dd className="font-mono text-xs break-all">{sweep.builderId}</dd>
            </div>
          )}
        </dl>
      </div>
      {sweep.retryable && <Retry id={sweep.id} />}
    </li>
  )
}

export function StuckSweeps() {
  const book = useTokenBook()
  const found = useQuery(stuckSweeps)
  const more = found.data === undefined ? 0 : found.data.total - found.data.intents.length
  return (
    <Card
      description="Each sweep with its cause. Most continue without help when the cause is resolved."
      flush
      title="Stuck sweeps"
    >
      {found.isError ? (
        <ErrorState error={found.error} retry={found.refetch} />
      ) : found.data === undefined ? (
        <div className="p-5">
          <Skeleton className="h-24 w-full" />
        </div>
      ) : found.data.intents.length === 0 ? (
        <EmptyState icon="check" title="No sweep is stuck">
          Every submitted sweep makes progress.
        </EmptyState>
      ) : (
        <>
          <ul className="divide-y divide-line">
            {found.data.intents.map((sweep) => (
              <Sweep book={book} key={sweep.id} sweep={sweep} />
            ))}
          </ul>
          {more > 0 && (
            <p className="border-t border-line px-4 py-3 text-sm text-muted sm:px-5">
              {more.toLocaleString()} younger ones are not shown.
            </p>
          )}
        </>
      )}
    </Card>
  )
}
