/** Progress of a submitted sweep, with its transaction hashes. */
import type { Intent } from "../../sdk/index.ts"
import { readable } from "../lib/amounts.ts"
import { classes } from "../lib/classes.ts"
import { account, transaction } from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Banner } from "./Banner.tsx"
import { unitOf } from "./catalog.ts"
import { explain, explainFailure } from "./explain.ts"
import { refundFacts } from "./receipt.ts"
import { useSession } from "./session.ts"
import { isUnknown, type Submission } from "./submissions.ts"

type State = "done" | "now" | "next" | "failed" | "unknown"

interface Step {
  readonly title: string
  readonly state: State
  readonly hash?: string | undefined
  readonly chainId?: number
}

const sourceState = (intent: Intent): State => {
  const { failureReason, status } = intent
  if (isUnknown(intent)) return "unknown"
  if (status === "failed") return failureReason === "bridge_refunded" ? "done" : "failed"
  return status === "quoted" ? "next" : status === "submitted" ? "now" : "done"
}

const deliveryState = (intent: Intent): State => {
  if (isUnknown(intent)) return "unknown"
  if (intent.status === "failed") return sourceState(intent) === "done" ? "failed" : "next"
  return intent.status === "delivered" ? "done" : intent.status === "settled_source" ? "now" : "next"
}

const stepsOf = (
  intent: Intent,
  { receive, send }: Submission,
  nameOf: (id: number) => string
): ReadonlyArray<Step> => {
  const { deliveryTxHash, txHash } = intent
  const source = { hash: txHash, chainId: send.chainId, state: sourceState(intent) }
  return [
    { title: "Signed and submitted", state: intent.status === "quoted" ? "now" : "done" },
    ...(intent.crossChain
      ? [
          { ...source, title: `Settled on ${nameOf(send.chainId)}` },
          {
            title: `Delivered on ${nameOf(receive.chainId)}`,
            state: deliveryState(intent),
            hash: deliveryTxHash,
            chainId: receive.chainId
          }
        ]
      : [{ ...source, title: `Delivered on ${nameOf(receive.chainId)}` }])
  ]
}

const MARKS: Readonly<Record<State, string>> = {
  done: "bg-good-soft text-good",
  now: "bg-accent-soft text-accent",
  next: "bg-sunken text-muted",
  failed: "bg-bad-soft text-bad",
  unknown: "bg-sunken text-muted"
}

const WORDS: Readonly<Record<State, string>> = {
  done: "done",
  now: "under way",
  next: "not yet",
  failed: "failed",
  unknown: "not known"
}

function Mark({ state }: { readonly state: State }) {
  return (
    <span className={classes("grid size-6 shrink-0 place-items-center rounded-full", MARKS[state])}>
      {state === "done" ? (
        <Icon name="check" size={13} />
      ) : state === "failed" ? (
        <Icon name="close" size={13} />
      ) : state === "now" ? (
        <span className="size-3 animate-spin rounded-full border-2 border-current border-t-transparent" />
      ) : (
        <span className="size-1.5 rounded-full bg-current" />
      )}
    </span>
  )
}

/** Notice that the state of a sweep is not known at the moment. Nothing without an error. */
export function FollowTrouble({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }) {
  if (error === null || error === undefined) return null
  return (
    <Banner
      action={
        <Button onClick={() => void retry()} small>
          Look again
        </Button>
      }
      tone="warn"
    >
      {explain(error)}
    </Banner>
  )
}

/** The bridge's payment of an unfilled deposit. */
function Refunded({ chainId, refund }: { readonly chainId: number; readonly refund: NonNullable<Intent["refund"]> }) {
  const { catalog } = useSession()
  const { decimals, symbol } = unitOf(catalog, { chainId, address: refund.token })
  return (
    <p className="text-sm text-muted">
      The bridge returned {readable(refund.amount, decimals)} {symbol} to your account in{" "}
      <Address
        href={transaction(catalog.chain(chainId), refund.txHash)}
        label="the refund's transaction"
        value={refund.txHash}
      />
    </p>
  )
}

export interface ProgressProps {
  readonly submission: Submission
  readonly intent: Intent
}

export function Progress({ intent, submission }: ProgressProps) {
  const { catalog } = useSession()
  const steps = stepsOf(intent, submission, (id) => catalog.chainName(id))
  const { receive, send } = submission
  const arrived = unitOf(catalog, { chainId: receive.chainId, address: receive.token })
  const insteadUnit = unitOf(catalog, {
    chainId: receive.chainId,
    address: intent.arrivedInstead?.token ?? receive.token
  })
  return (
    <div className="flex flex-col gap-3">
      <ol className="flex flex-col">
        {steps.map(({ chainId, hash, state, title }, index) => (
          <li className="relative flex min-h-9 gap-3 pb-3 last:pb-0" key={title}>
            {index < steps.length - 1 && (
              <span aria-hidden="true" className="absolute top-6 bottom-0 left-3 w-px bg-line" />
            )}
            <Mark state={state} />
            <div className="flex min-h-6 min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3 self-start">
              <span className={state === "next" || state === "unknown" ? "text-muted" : "font-medium"}>
                {title}
                <span className="sr-only">: {WORDS[state]}</span>
              </span>
              {hash !== undefined && (
                <Address
                  href={transaction(chainId === undefined ? undefined : catalog.chain(chainId), hash)}
                  label="transaction hash"
                  value={hash}
                />
              )}
            </div>
          </li>
        ))}
      </ol>
      {intent.arrivedInstead !== undefined && (
        <Banner tone="warn">
          The swap on arrival failed. {readable(intent.arrivedInstead.amount, insteadUnit.decimals)}{" "}
          {insteadUnit.symbol} arrived in place of {arrived.symbol}.
        </Banner>
      )}
      {intent.status === "delivered" && intent.arrivedInstead === undefined && (
        <p className="text-sm text-muted">
          {intent.amountOut === undefined ? "At least " : ""}
          {readable(intent.amountOut ?? BigInt(receive.amount), arrived.decimals)} {arrived.symbol} arrived at{" "}
          <Address
            href={account(catalog.chain(receive.chainId), receive.destination)}
            label="the destination"
            value={receive.destination}
          />
        </p>
      )}
      {intent.status === "submitted" &&
        intent.waitingFor === "gas_price" &&
        intent.pendingFailureReason === undefined && (
          <Banner tone="warn">
            Gas costs more at present than the network fee of this sweep covers. It is sent when the price has fallen.
          </Banner>
        )}
      {intent.status === "submitted" && intent.pendingFailureReason !== undefined && (
        <Banner tone="warn">
          This sweep will not be sent again. If it has not settled by its deadline, it fails and your tokens stay.
        </Banner>
      )}
      {intent.refund !== undefined && <Refunded chainId={send.chainId} refund={intent.refund} />}
      {intent.status === "failed" && (
        <Banner tone={isUnknown(intent) ? "warn" : "bad"}>
          {explainFailure(intent.failureReason, refundFacts(catalog, submission))}
        </Banner>
      )}
    </div>
  )
}
