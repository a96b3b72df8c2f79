/** History of a sweep: each reached status with its time and transaction, then the pending ones. */
import type { Sweep } from "../../../domain/Sweep.ts"
import type { SweepEvent, SweepStatus } from "../../../domain/SweepEvent.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { classes } from "../../lib/classes.ts"
import { transaction } from "../../lib/explorer.ts"
import { atSecond } from "../../lib/time.ts"
import { Address } from "../../ui/Address.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { isUnderWay } from "./queries.ts"
import { failureText } from "./words.ts"

interface Step {
  readonly key: string
  readonly title: string
  readonly note: string
  readonly mark: "done" | "failed" | "next"
  readonly atMs?: number
  readonly hash?: string | undefined
  readonly chainId: number
}

const titleOf = (status: SweepStatus, sweep: Sweep, book: TokenBook): string => {
  switch (status) {
    case "submitted":
      return "Submitted"
    case "settled_source":
      return `Settled on ${book.chainName(sweep.sourceChainId)}`
    case "delivered":
      return `Delivered on ${book.chainName(sweep.destChainId)}`
    case "failed":
      return "Failed"
  }
}

const noteOf = ({ crossChain, failureReason, status }: SweepEvent): string => {
  switch (status) {
    case "submitted":
      return "The owner signed it, and the service accepted it."
    case "settled_source":
      return crossChain
        ? "The order was executed, and the bridge has the funds."
        : "The order was executed, and its block is confirmed."
    case "delivered":
      return crossChain ? "The funds arrived over the bridge." : "The funds arrived, in the same transaction."
    case "failed":
      return failureText(failureReason)
  }
}

/** The transaction of an event. A delivery is on the destination chain, all others are on the source chain. */
const proofOf = ({ deliveryTxHash, destChainId, sourceChainId, status, txHash }: SweepEvent) =>
  status === "delivered"
    ? { hash: deliveryTxHash, chainId: destChainId }
    : { hash: status === "submitted" ? undefined : txHash, chainId: sourceChainId }

const stepsOf = (sweep: Sweep, events: ReadonlyArray<SweepEvent>, book: TokenBook): ReadonlyArray<Step> => {
  const reached = events.map((event): Step => {
    const { id, occurredAtMs, status } = event
    return {
      key: id,
      title: titleOf(status, sweep, book),
      note: noteOf(event),
      mark: status === "failed" ? "failed" : "done",
      atMs: occurredAtMs,
      ...proofOf(event)
    }
  })
  const coming: ReadonlyArray<SweepStatus> = isUnderWay(sweep)
    ? (["settled_source", "delivered"] as const).filter((status) => events.every((event) => event.status !== status))
    : []
  return [
    ...reached,
    ...coming.map((status): Step => ({
      key: status,
      title: titleOf(status, sweep, book),
      note: "Not yet.",
      mark: "next",
      chainId: sweep.sourceChainId
    }))
  ]
}

const MARKS = {
  done: "bg-good-soft text-good",
  failed: "bg-bad-soft text-bad",
  next: "bg-sunken text-muted"
} as const

function Mark({ mark }: Pick<Step, "mark">) {
  return (
    <span className={classes("grid size-6 shrink-0 place-items-center rounded-full", MARKS[mark])}>
      {mark === "next" ? (
        <span className="size-1.5 rounded-full bg-current" />
      ) : (
        <Icon name={mark === "done" ? "check" : "close"} size={13} />
      )}
    </span>
  )
}

/** Time since the previous step: `250 ms`, `4.2 s`, `3 min`. */
const took = (millis: number): string =>
  millis < 1_000
    ? `${millis} ms`
    : millis < 60_000
      ? `${(millis / 1_000).toFixed(1)} s`
      : `${Math.round(millis / 60_000).toLocaleString()} min`

export interface TimelineProps {
  readonly book: TokenBook
  readonly sweep: Sweep
  readonly events: ReadonlyArray<SweepEvent>
}

export function Timeline({ book, events, sweep }: TimelineProps) {
  const steps = stepsOf(sweep, events, book)
  return (
    <ol className="flex flex-col">
      {steps.map(({ atMs, chainId, hash, key, mark, note, title }, index) => {
        const before = steps[index - 1]?.atMs
        return (
          <li className="relative flex gap-3 pb-6 last:pb-0" key={key}>
            {index < steps.length - 1 && (
              <span aria-hidden="true" className="absolute top-7 bottom-1 left-3 w-px bg-line" />
            )}
            <Mark mark={mark} />
            <div className="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-6 gap-y-1">
              <div className="min-w-0 flex-1 basis-60">
                <p className={mark === "next" ? "text-muted" : "font-medium"}>{title}</p>
                <p className="text-sm text-muted">{note}</p>
                {hash !== undefined && (
                  <p className="mt-1">
                    <Address href={transaction(book.chain(chainId), hash)} label="transaction hash" value={hash} />
                  </p>
                )}
              </div>
              {atMs !== undefined && (
                <p className="text-sm text-muted tabular-nums sm:text-right">
                  <time dateTime={new Date(atMs).toISOString()}>{atSecond(atMs)}</time>
                  {before !== undefined && <span className="block">after {took(Math.max(0, atMs - before))}</span>}
                </p>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
