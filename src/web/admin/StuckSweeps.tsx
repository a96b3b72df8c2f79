/** Stuck sweeps: the cause of each, the operator's action, and a retry for those without a transaction. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { StuckIntent } from "../../domain/StuckIntent.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import * as explorer from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { operationsHealth, stuckSweeps } from "./queries.ts"
import { RetryButton } from "./RetryButton.tsx"
import { WAITS } from "./story/words.ts"

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
          <Badge tone="warn">{WAITS[sweep.waitsFor]}</Badge>
          <span className="font-medium">
            {sweep.status === "submitted" ? "Submitted" : "Settled"} <Time ms={sweep.sinceMs} />, {route}
          </span>
        </p>
        <p className="mt-1 break-words">{sweep.explanation}</p>
        {sweep.advice !== null && <p className="mt-1 break-words text-sm text-muted">{sweep.advice}</p>}
        <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <div className="flex min-w-0 flex-wrap items-center gap-x-1.5">
            <dt className="text-muted">Intent</dt>
            <dd className="font-mono text-xs break-all">
              <Link className="text-accent hover:underline" params={{ id: sweep.id }} to="/admin/sweeps/$id">
                {sweep.id}
              </Link>
            </dd>
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
      {sweep.retryable && <RetryButton id={sweep.id} />}
    </li>
  )
}

/** Says that nothing is stuck only if every chain is seen. */
function NoneStuck() {
  const health = useQuery(operationsHealth)
  const sick = health.data?.chains.filter(({ status }) => status !== "ok").map(({ name }) => name)
  if (sick === undefined || sick.length > 0) {
    return (
      <EmptyState icon="alert" title="No sweep is known to be stuck">
        {sick === undefined
          ? "The health of the chains is not known."
          : `The newest blocks of ${sick.join(" and ")} are not seen, so sweeps there do not progress.`}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="check" title="No sweep is stuck">
      Every chain has fresh blocks, and every submitted sweep makes progress.
    </EmptyState>
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
        <NoneStuck />
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
