/** One token's sweep from quote to delivery. */
import { useEffect, useRef } from "react"
import type { SweepableToken } from "../../sdk/index.ts"
import { readable } from "../lib/amounts.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Skeleton } from "../ui/States.tsx"
import { Banner } from "./Banner.tsx"
import { chainName, unitOf } from "./catalog.ts"
import type { Plan } from "./ChooseStep.tsx"
import { explain } from "./explain.ts"
import { Progress } from "./Progress.tsx"
import { ReviewFacts } from "./ReviewFacts.tsx"
import { SignBar } from "./SignBar.tsx"
import { useSession } from "./session.ts"
import type { Submission } from "./submissions.ts"
import { TokenMark } from "./TokenMark.tsx"
import { useIntent } from "./useIntent.ts"
import { useNow } from "./useNow.ts"
import { useSweep } from "./useSweep.ts"

/** State of a card in the plan. */
export type Turn = "waiting" | "current" | "skipped" | "submitted"

export interface SweepCardProps {
  readonly token: SweepableToken
  readonly plan: Plan
  readonly turn: Turn
  readonly isOnly: boolean
  readonly onTurn: (turn: Turn) => void
}

const STATUS: Readonly<Record<string, readonly [tone: Tone, text: string]>> = {
  quoted: ["accent", "Submitting"],
  submitted: ["accent", "On its way"],
  settled_source: ["accent", "Settled, arriving"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"]
}

function Followed({ onRestart, submission }: { readonly submission: Submission; readonly onRestart: () => void }) {
  const { error, intent, retry } = useIntent(submission)
  return (
    <div className="flex flex-col gap-4">
      <Progress error={error} intent={intent} retry={retry} submission={submission} />
      {intent.status === "failed" && (
        <div>
          <Button icon="refresh" onClick={onRestart}>
            Get a new quote
          </Button>
        </div>
      )}
    </div>
  )
}

function QuoteSkeleton() {
  return (
    <div aria-busy="true" className="divide-y divide-line">
      <p className="sr-only" role="status">
        Asking for a quote
      </p>
      {Array.from({ length: 6 }, (_, index) => (
        <div className="grid min-h-14 grid-cols-1 gap-x-6 gap-y-1.5 py-3 sm:grid-cols-[9.5rem_1fr]" key={index}>
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-4 w-48 max-w-full" />
        </div>
      ))}
    </div>
  )
}

const secondsUntil = (at: Date | undefined, now: number): number =>
  at === undefined ? 0 : Math.max(0, Math.floor((at.getTime() - now) / 1_000))

function Quoted({
  isOnly,
  onTurn,
  plan,
  sweep,
  token
}: SweepCardProps & { readonly sweep: ReturnType<typeof useSweep> }) {
  const { catalog } = useSession()
  const now = useNow()
  const { quote, renew, sign } = sweep
  const review = quote.data?.review
  const secondsLeft = secondsUntil(review?.expiresAt, now)
  if (quote.isFetching) return <QuoteSkeleton />
  if (review === undefined || quote.isError) {
    return (
      <div className="flex flex-col gap-4">
        <Banner tone="bad">{explain(quote.error)}</Banner>
        <div className="flex flex-wrap gap-2">
          <Button icon="refresh" onClick={() => void renew()}>
            Ask again
          </Button>
          {!isOnly && <Button onClick={() => onTurn("skipped")}>Skip this token</Button>}
        </div>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <ReviewFacts received={unitOf(catalog, plan.to)} review={review} secondsLeft={secondsLeft} sent={token} />
      {sign.isError && <Banner tone="bad">{explain(sign.error)}</Banner>}
      <SignBar
        chainId={review.send.chainId}
        isBusy={sign.isPending}
        isExpired={secondsLeft === 0}
        onRenew={() => void renew()}
        onSign={() => {
          if (quote.data !== undefined) sign.mutate(quote.data, { onSuccess: () => onTurn("submitted") })
        }}
        {...(isOnly ? {} : { onSkip: () => onTurn("skipped") })}
      />
    </div>
  )
}

export function SweepCard(props: SweepCardProps) {
  const { isOnly, onTurn, plan, token, turn } = props
  const { catalog } = useSession()
  const sweep = useSweep(token, plan, turn === "current")
  const heading = useRef<HTMLHeadingElement>(null)
  // The active card takes the focus, for keyboards and screen readers.
  useEffect(() => {
    if (turn === "current") heading.current?.focus({ preventScroll: false })
  }, [turn])
  const { submission } = sweep
  const [tone, text]: readonly [Tone, string] =
    submission !== undefined
      ? (STATUS[submission.status] ?? ["accent", "On its way"])
      : turn === "current"
        ? ["accent", "Review"]
        : turn === "skipped"
          ? ["neutral", "Skipped"]
          : ["neutral", "Waiting"]
  return (
    <li>
      <section
        aria-label={`${token.symbol} on ${chainName(catalog.chain(token.chainId), token.chainId)}`}
        className="rounded-lg border border-line bg-surface shadow-card"
      >
        <header className="flex items-center gap-3 px-4 py-3.5 sm:px-5">
          <TokenMark chainId={token.chainId} symbol={token.symbol} />
          <h2 className="min-w-0 flex-1 rounded-sm text-lg font-semibold outline-none" ref={heading} tabIndex={-1}>
            <span className="block truncate tabular-nums">
              {readable(token.balance, token.decimals, 4)} {token.symbol}
            </span>
            <span className="flex items-center gap-1.5 text-sm font-normal text-muted">
              <span className="truncate">{chainName(catalog.chain(token.chainId), token.chainId)}</span>
              <Icon name="arrowRight" size={13} />
              <span className="sr-only">to</span>
              <span className="truncate">
                {unitOf(catalog, plan.to).symbol} on {chainName(catalog.chain(plan.to.chainId), plan.to.chainId)}
              </span>
            </span>
          </h2>
          <span aria-live="polite">
            <Badge tone={tone}>{text}</Badge>
          </span>
        </header>
        {submission !== undefined ? (
          <div className="border-t border-line px-4 py-4 sm:px-5">
            <Followed
              onRestart={() => {
                void sweep.restart()
                onTurn("current")
              }}
              submission={submission}
            />
          </div>
        ) : turn === "current" ? (
          <div className="border-t border-line px-4 py-4 sm:px-5">
            <Quoted {...props} sweep={sweep} />
          </div>
        ) : (
          turn === "skipped" && (
            <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3 sm:px-5">
              <p className="text-muted">Nothing was signed, the token stays where it is.</p>
              <Button onClick={() => onTurn("current")} small>
                {isOnly ? "Review" : "Review after all"}
              </Button>
            </div>
          )
        )}
      </section>
    </li>
  )
}
