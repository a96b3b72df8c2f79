/** Review of a plan: each token with its order, the totals, one signature for all, and then their progress. */
import { useEffect, useRef } from "react"
import type { LeftOutToken, SweepableToken } from "../../sdk/index.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Skeleton } from "../ui/States.tsx"
import { Banner } from "./Banner.tsx"
import { samePlace } from "./catalog.ts"
import type { Plan } from "./ChooseStep.tsx"
import { explain, isOutdated } from "./explain.ts"
import { FollowTrouble } from "./Progress.tsx"
import { PlanFacts } from "./PlanFacts.tsx"
import { SignBar } from "./SignBar.tsx"
import { isEnded, type Submission } from "./submissions.ts"
import { TokenCard, type TokenState } from "./TokenCard.tsx"
import { useIntent } from "./useIntent.ts"
import { useNow } from "./useNow.ts"
import { type SweepState, useSweep } from "./useSweep.ts"

const isOf = (token: SweepableToken, { chainId, token: address }: Pick<LeftOutToken, "chainId" | "token">): boolean =>
  samePlace(token, { chainId, address })

const stateOf = ({ isDropped, quote, review, submitted }: SweepState, token: SweepableToken): TokenState => {
  const submission = submitted?.find(({ send }) => isOf(token, send))
  if (submission !== undefined) return { kind: "submitted", submission }
  if (quote.isFetching) return { kind: "quoting" }
  const why = quote.data?.leftOut.find((each) => isOf(token, each))
  if (why !== undefined) return { kind: "left out", why }
  if (isDropped(token)) return { kind: "dropped" }
  const leg = review?.legs.find(({ send }) => isOf(token, send))
  return leg === undefined || quote.isError ? { kind: "unknown" } : { kind: "quoted", leg }
}

function QuoteSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-col gap-4">
      <p className="sr-only" role="status">
        Asking for quotes
      </p>
      {Array.from({ length: 5 }, (_, index) => (
        <Skeleton className="h-10 w-full" key={index} />
      ))}
    </div>
  )
}

const secondsUntil = (at: Date, now: number): number => Math.max(0, Math.floor((at.getTime() - now) / 1_000))

/** Totals and the signature, or the reason for which there is nothing to sign. */
function Signature({ plan, sweep }: { readonly plan: Plan; readonly sweep: SweepState }) {
  const now = useNow()
  const { quote, renew, review, sign } = sweep
  if (quote.isFetching) return <QuoteSkeleton />
  if (quote.isError || review === undefined) {
    return (
      <div className="flex flex-col gap-4">
        <Banner tone="bad">
          {quote.isError
            ? explain(quote.error)
            : quote.data?.review === undefined
              ? "None of these tokens can be swept right now. Nothing was signed."
              : "You left out every token. Take at least one back in."}
        </Banner>
        <Button icon="refresh" onClick={() => void renew()}>
          Ask again
        </Button>
      </div>
    )
  }
  const secondsLeft = secondsUntil(review.expiresAt, now)
  return (
    <div className="flex flex-col gap-4">
      <PlanFacts plan={plan} review={review} secondsLeft={secondsLeft} />
      {sign.isError && <Banner tone="bad">{explain(sign.error)}</Banner>}
      <SignBar
        authorizations={review.authorizations}
        isBusy={sign.isPending}
        isExpired={secondsLeft === 0 || isOutdated(sign.error)}
        onRenew={() => void renew()}
        onSign={() => sign.mutate(review)}
      />
    </div>
  )
}

/** State of the whole sweep after its signature. */
function Outcome({
  onBack,
  submitted
}: {
  readonly submitted: readonly [Submission, ...ReadonlyArray<Submission>]
  readonly onBack: () => void
}) {
  const pending = submitted.find((each) => !isEnded(each))
  const { error, retry } = useIntent(pending ?? submitted[0])
  const delivered = submitted.filter(({ status }) => status === "delivered").length
  const failed = submitted.filter(({ status }) => status === "failed").length
  return (
    <div className="flex flex-col gap-4">
      <p aria-live="polite" className="text-lg font-semibold">
        {delivered} of {submitted.length} delivered{failed === 0 ? "" : `, ${failed} failed`}
      </p>
      {pending !== undefined && (
        <Banner tone="info">All is signed. You can close this page: pending sweeps continue without it.</Banner>
      )}
      {pending !== undefined && <FollowTrouble error={error} retry={retry} />}
      {pending === undefined && failed > 0 && (
        <p className="text-muted">Each failed token says why. Sweep them again from the list of your tokens.</p>
      )}
      <Button className="h-11 w-full" onClick={onBack}>
        Sweep more
      </Button>
    </div>
  )
}

export function ReviewStep({ onBack, plan }: { readonly plan: Plan; readonly onBack: () => void }) {
  const sweep = useSweep(plan)
  const [first, ...others] = sweep.submitted ?? []
  const heading = useRef<HTMLHeadingElement>(null)
  // The heading takes the focus, for keyboards and screen readers.
  useEffect(() => heading.current?.focus({ preventScroll: false }), [])
  const isOnly = plan.tokens.length === 1
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="rounded-sm text-xl font-semibold tracking-tight outline-none" ref={heading} tabIndex={-1}>
          {first === undefined ? "Review before you sign" : "Signed"}
        </h2>
        <Button disabled={sweep.sign.isPending} onClick={onBack} small>
          Back to your tokens
        </Button>
      </div>
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <ol aria-label="Tokens to sweep" className="flex flex-col gap-3">
          {plan.tokens.map((token) => (
            <TokenCard
              isOnly={isOnly}
              key={`${token.chainId}:${token.address}`}
              onToggle={() => sweep.toggle(token)}
              state={stateOf(sweep, token)}
              to={plan.to}
              token={token}
            />
          ))}
        </ol>
        <section aria-label="The whole sweep" className="lg:sticky lg:top-5">
          <Card title={first === undefined ? "One signature for all" : "Progress"}>
            {first === undefined ? (
              <Signature plan={plan} sweep={sweep} />
            ) : (
              <Outcome onBack={onBack} submitted={[first, ...others]} />
            )}
          </Card>
        </section>
      </div>
    </div>
  )
}
