/** One token of a plan, from its quote to its delivery. */
import type { ReactNode } from "react"
import type { LeftOutToken, ReviewedLeg, SweepableToken } from "../../sdk/index.ts"
import { readable } from "../lib/amounts.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Skeleton } from "../ui/States.tsx"
import { chainName, type Place, unitOf } from "./catalog.ts"
import { whyUnquoted } from "./explain.ts"
import { Progress } from "./Progress.tsx"
import { ReviewFacts } from "./ReviewFacts.tsx"
import { useSession } from "./session.ts"
import type { Submission } from "./submissions.ts"
import { TokenMark } from "./TokenMark.tsx"
import { useIntent } from "./useIntent.ts"

/** State of a token in the plan. */
export type TokenState =
  | { readonly kind: "quoting" }
  | { readonly kind: "unknown" }
  | { readonly kind: "quoted"; readonly leg: ReviewedLeg }
  /** The owner keeps it out of the signature. */
  | { readonly kind: "dropped" }
  /** It cannot be swept. */
  | { readonly kind: "left out"; readonly why: LeftOutToken }
  | { readonly kind: "submitted"; readonly submission: Submission }

export interface TokenCardProps {
  readonly token: SweepableToken
  readonly to: Place
  readonly state: TokenState
  readonly isOnly: boolean
  /** Takes the token out of the signature, or back in. */
  readonly onToggle: () => void
}

const STATUS: Readonly<Record<string, readonly [tone: Tone, text: string]>> = {
  quoted: ["accent", "Submitting"],
  submitted: ["accent", "On its way"],
  settled_source: ["accent", "Settled, arriving"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"]
}

const BADGES: Readonly<Record<Exclude<TokenState["kind"], "submitted">, readonly [tone: Tone, text: string]>> = {
  quoting: ["neutral", "Waiting"],
  unknown: ["neutral", "No quote"],
  quoted: ["accent", "Review"],
  dropped: ["neutral", "Stays"],
  "left out": ["warn", "Stays"]
}

const badgeOf = (state: TokenState): readonly [tone: Tone, text: string] =>
  state.kind === "submitted" ? (STATUS[state.submission.status] ?? ["accent", "On its way"]) : BADGES[state.kind]

function Header({ state, to, token }: Pick<TokenCardProps, "state" | "to" | "token">) {
  const { catalog } = useSession()
  const [tone, text] = badgeOf(state)
  const received = unitOf(catalog, to)
  return (
    <>
      <TokenMark chainId={token.chainId} symbol={token.symbol} />
      <h2 className="min-w-0 flex-1 text-lg font-semibold">
        <span className="block truncate tabular-nums">
          {readable(token.balance, token.decimals, 4)} {token.symbol}
        </span>
        <span className="flex items-center gap-1.5 text-sm font-normal text-muted">
          <span className="truncate">{chainName(catalog.chain(token.chainId), token.chainId)}</span>
          <Icon name="arrowRight" size={13} />
          <span className="sr-only">to{state.kind === "quoted" && " at least"}</span>
          <span className="truncate">
            {state.kind === "quoted" && `${readable(state.leg.receive.minAmount, received.decimals, 4)} `}
            {received.symbol} on {chainName(catalog.chain(to.chainId), to.chainId)}
          </span>
        </span>
      </h2>
      <span aria-live="polite">
        <Badge tone={tone}>{text}</Badge>
      </span>
    </>
  )
}

function Followed({ submission }: { readonly submission: Submission }) {
  const { intent } = useIntent(submission)
  return <Progress intent={intent} submission={submission} />
}

const HEADER = "flex items-center gap-3 px-4 py-3.5 sm:px-5"
const BODY = "border-t border-line px-4 py-4 sm:px-5"

/** A card that shows more when it is opened. */
function Openable({
  children,
  header,
  isOpen
}: {
  readonly header: ReactNode
  readonly isOpen: boolean
  readonly children: ReactNode
}) {
  return (
    <details className="group" open={isOpen}>
      <summary className={`${HEADER} list-none rounded-lg hover:bg-canvas`}>
        {header}
        <span className="text-muted group-open:rotate-90">
          <Icon name="chevron" />
        </span>
      </summary>
      <div className={BODY}>{children}</div>
    </details>
  )
}

function Content({ isOnly, onToggle, state, to, token }: TokenCardProps) {
  const { catalog } = useSession()
  const header = <Header state={state} to={to} token={token} />
  switch (state.kind) {
    case "quoted":
      return (
        <Openable header={header} isOpen={isOnly}>
          <ReviewFacts leg={state.leg} received={unitOf(catalog, to)} sent={token} />
          {!isOnly && (
            <Button className="mt-3" onClick={onToggle} small>
              Leave this token out
            </Button>
          )}
        </Openable>
      )
    case "submitted":
      return (
        <Openable header={header} isOpen={isOnly || state.submission.status === "failed"}>
          <Followed submission={state.submission} />
        </Openable>
      )
    case "dropped":
      return (
        <>
          <div className={HEADER}>{header}</div>
          <div className={`${BODY} flex flex-wrap items-center justify-between gap-3`}>
            <p className="text-muted">You leave this token out, so it stays where it is.</p>
            <Button onClick={onToggle} small>
              Sweep it too
            </Button>
          </div>
        </>
      )
    case "left out":
      return (
        <>
          <div className={HEADER}>{header}</div>
          <p className={`${BODY} text-muted`}>{whyUnquoted(state.why)}. It stays where it is.</p>
        </>
      )
    case "quoting":
      return (
        <div aria-busy="true" className={HEADER}>
          {header}
          <Skeleton className="h-4 w-16" />
        </div>
      )
    case "unknown":
      return <div className={HEADER}>{header}</div>
  }
}

export function TokenCard(props: TokenCardProps) {
  const { catalog } = useSession()
  const { token } = props
  return (
    <li>
      <section
        aria-label={`${token.symbol} on ${chainName(catalog.chain(token.chainId), token.chainId)}`}
        className="rounded-lg border border-line bg-surface shadow-card"
      >
        <Content {...props} />
      </section>
    </li>
  )
}
