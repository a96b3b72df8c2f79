/** Sweeps that the owner signed: those under way and just ended with a bar and a receipt, and earlier ones. */
import { type Ref, useState } from "react"
import { classes } from "../lib/classes.ts"
import { download } from "../lib/csv.ts"
import { dollars } from "../lib/usd.ts"
import { readable } from "../lib/amounts.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Time } from "../ui/Time.tsx"
import { Banner } from "./Banner.tsx"
import { explainFailure } from "./explain.ts"
import { FollowTrouble, Progress } from "./Progress.tsx"
import {
  arrivedText,
  elapsed,
  outcomeOf,
  receiptText,
  refundFacts,
  restOf,
  sentText,
  type SignedSweep,
  symbolOf
} from "./receipt.ts"
import type { Rest } from "./selection.ts"
import { useSession } from "./session.ts"
import { bySweep, isEnded, isUnconfirmed, type Submission, UNKNOWN_TO_SERVICE } from "./submissions.ts"
import { badgeOf, Bar } from "./SweepParts.tsx"
import { TokenMark } from "./TokenMark.tsx"
import { useIntent } from "./useIntent.ts"
import { isBeingSent, openedAtMs } from "./useSubmissions.ts"

/** One token of a sweep, with its transactions. */
function Entry({ submission }: { readonly submission: Submission }) {
  const { catalog } = useSession()
  const { intent } = useIntent(submission)
  const { send } = submission
  const symbol = symbolOf(catalog, submission)
  const [tone, text] = badgeOf(intent)
  const chain = catalog.chainName(send.chainId)
  return (
    <li>
      <details className="group/entry">
        <summary className="flex min-h-14 list-none items-center gap-3 px-4 py-2 hover:bg-canvas sm:px-5">
          <TokenMark token={{ chainId: send.chainId, address: send.token, symbol }} />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium tabular-nums">
              {sentText(catalog, submission, (amount, decimals) => readable(amount, decimals, 4))}
              <bdi>{symbol}</bdi>
            </span>
            <span className="block truncate text-sm text-muted">{chain}</span>
          </span>
          <Badge tone={tone}>{text}</Badge>
          <span className="text-muted group-open/entry:rotate-90">
            <Icon name="chevron" size={13} />
          </span>
        </summary>
        <section aria-label={`${symbol} on ${chain}`} className="px-4 pt-1 pb-4 sm:px-5 sm:pl-17">
          <Progress intent={intent} submission={submission} />
        </section>
      </details>
    </li>
  )
}

/** Saves and shares the receipt of an ended sweep. */
function Receipt({ sweep }: { readonly sweep: SignedSweep }) {
  const { catalog } = useSession()
  const [isCopied, setCopied] = useState(false)
  const { feeUsd, tookMillis } = outcomeOf(sweep)
  const text = () => receiptText(catalog, sweep)
  const share = async () => {
    if (typeof navigator.share === "function") {
      await navigator.share({ title: "Sweep receipt", text: text() }).catch(() => undefined)
      return
    }
    await navigator.clipboard.writeText(text())
    setCopied(true)
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm text-muted">
      <p>
        {tookMillis !== undefined && `Took ${elapsed(tookMillis)}. `}
        {feeUsd !== undefined && `Fees ${dollars(feeUsd)}. `}You paid no gas.
      </p>
      <span className="flex gap-2">
        <Button
          icon="download"
          onClick={() => download(`sweep-${sweep[0].sweepId ?? sweep[0].id}.txt`, "text/plain;charset=utf-8", text())}
          small
        >
          Save receipt
        </Button>
        <Button icon={isCopied ? "check" : "share"} onClick={() => void share().catch(() => undefined)} small>
          {isCopied ? "Copied" : "Share"}
        </Button>
      </span>
    </div>
  )
}

/** Tokens that failed, each with its reason, and the way to sweep them again. */
function Failures({
  failed,
  onRest
}: {
  readonly failed: ReadonlyArray<Submission>
  readonly onRest: SweepsProps["onRest"]
}) {
  const { catalog } = useSession()
  if (failed.length === 0) return null
  const rest = restOf(catalog, failed)
  return (
    <div className="rounded-md bg-bad-soft px-3.5 py-3">
      <ul className="flex flex-col gap-1.5 text-bad">
        {failed.map((each) => (
          <li key={each.id}>
            <span className="font-medium">
              <bdi>{symbolOf(catalog, each)}</bdi> on {catalog.chainName(each.send.chainId)}:
            </span>{" "}
            {explainFailure(each.failureReason, refundFacts(catalog, each))}
          </li>
        ))}
      </ul>
      {onRest !== undefined && rest.size > 0 && (
        <Button className="mt-3" icon="refresh" onClick={() => onRest(rest)} small>
          Sweep the rest
        </Button>
      )}
    </div>
  )
}

/** Tokens whose outcome the service no longer knows. */
function Unknown({ unknown }: { readonly unknown: ReadonlyArray<Submission> }) {
  const { catalog } = useSession()
  if (unknown.length === 0) return null
  const names = unknown.map((each) => `${symbolOf(catalog, each)} on ${catalog.chainName(each.send.chainId)}`)
  return (
    <Banner tone="warn">
      <bdi>{names.join(", ")}</bdi>: {explainFailure(UNKNOWN_TO_SERVICE)}
    </Banner>
  )
}

/** Says for a sweep that has not ended if the service is known to have it. */
function Standing({ sweep }: { readonly sweep: SignedSweep }) {
  return (
    <p className="text-sm text-muted">
      {sweep.some(isBeingSent)
        ? "All is signed, and is being sent. Keep this page open until the service has it."
        : sweep.every((each) => isEnded(each) || isUnconfirmed(each))
          ? "All is signed. It is not known that the service has it. If it has not, this page says so once the quotes have expired, and the tokens can be swept again."
          : "All is signed. You can close this page: the sweep continues without it."}
    </p>
  )
}

function SweepCard({
  isOpen,
  onRest,
  sweep
}: {
  readonly sweep: SignedSweep
  readonly isOpen: boolean
  readonly onRest: SweepsProps["onRest"]
}) {
  const { catalog } = useSession()
  const pending = sweep.find((each) => !isEnded(each))
  const { error, retry } = useIntent(pending ?? sweep[0])
  const outcome = outcomeOf(sweep)
  const { all, delivered, failed, unknown } = outcome
  return (
    <li className={classes("flex flex-col gap-3 py-4", !isOpen && "py-3")}>
      <div className="flex flex-col gap-2 px-4 sm:px-5">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p aria-live="polite" className="font-semibold tabular-nums">
            {delivered} of {all} delivered
            {delivered > 0 && `, ${arrivedText(catalog, sweep)} arrived`}
            {failed.length > 0 && `, ${failed.length} failed`}
            {unknown.length > 0 && `, ${unknown.length} not known`}
          </p>
          <span className="text-sm text-muted">
            <Time ms={sweep[0].submittedAtMs} />
          </span>
        </div>
        <Bar all={all} delivered={delivered} failed={failed.length} />
        {pending !== undefined && <Standing sweep={sweep} />}
        {pending !== undefined && <FollowTrouble error={error} retry={retry} />}
        <Failures failed={failed} onRest={onRest} />
        <Unknown unknown={unknown} />
        {outcome.isEnded && delivered > 0 && <Receipt sweep={sweep} />}
      </div>
      <details open={isOpen && all === 1}>
        <summary className="mx-4 w-fit rounded-sm text-sm font-medium text-accent sm:mx-5">
          {all === 1 ? "The token" : `Each of the ${all} tokens`}
        </summary>
        <ul className="mt-2 divide-y divide-line border-t border-line bg-canvas">
          {sweep.map((submission) => (
            <Entry key={submission.id} submission={submission} />
          ))}
        </ul>
      </details>
    </li>
  )
}

export interface SweepsProps {
  /** `recent`: those under way, and those that ended since the page was opened. */
  readonly shown: "recent" | "earlier"
  readonly heading?: Ref<HTMLHeadingElement>
  /** Selects the amounts that failed intents left in the account. */
  readonly onRest?: ((rest: Rest) => void) | undefined
}

const isRecent = (sweep: SignedSweep): boolean =>
  sweep.some((each) => !isEnded(each) || (each.endedAtMs ?? 0) >= openedAtMs)

const descriptionOf = (shown: ReadonlyArray<Submission>): string => {
  const pending = shown.filter((each) => !isEnded(each))
  if (pending.length === 0) return shown.some(({ status }) => status === "delivered") ? "All done" : "Ended"
  if (pending.every(isUnconfirmed)) return "Signed, and not confirmed by the service"
  return pending.length === 1 ? "1 token on its way" : `${pending.length} tokens on their way`
}

export function Sweeps({ heading, onRest, shown }: SweepsProps) {
  const { submissions } = useSession()
  const sweeps = bySweep(submissions.list).filter((sweep) => isRecent(sweep) === (shown === "recent"))
  if (sweeps.length === 0) return null
  const listed = sweeps.flat()
  const isNow = shown === "recent"
  return (
    <Card
      actions={
        !isNow && (
          <Button onClick={() => submissions.drop(listed.map(({ id }) => id))} small variant="quiet">
            Clear
          </Button>
        )
      }
      description={isNow ? descriptionOf(listed) : undefined}
      flush
      heading={heading}
      title={isNow ? "Your sweep" : "Earlier sweeps"}
    >
      <ul className="divide-y divide-line">
        {sweeps.map((sweep) => (
          <SweepCard isOpen={isNow} key={sweep[0].id} onRest={onRest} sweep={sweep} />
        ))}
      </ul>
    </Card>
  )
}
