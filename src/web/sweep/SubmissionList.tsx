/** Sweeps submitted from this browser: pending ones, followed live, and the outcome of earlier ones. */
import type { ReactNode } from "react"
import { readable } from "../lib/amounts.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Time } from "../ui/Time.tsx"
import { chainName, unitOf } from "./catalog.ts"
import { FollowTrouble, Progress } from "./Progress.tsx"
import { useSession } from "./session.ts"
import { bySweep, isEnded, type Side, type Submission } from "./submissions.ts"
import { TokenMark } from "./TokenMark.tsx"
import { useIntent } from "./useIntent.ts"

const BADGES: Readonly<Record<string, readonly [tone: Tone, text: string]>> = {
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"]
}

const useTexts = () => {
  const { catalog } = useSession()
  const amount = ({ amount, chainId, token }: Side) => {
    const { decimals, symbol } = unitOf(catalog, { chainId, address: token })
    return `${readable(BigInt(amount), decimals, 4)} ${symbol}`
  }
  const way = ({ receive, send }: Submission) => {
    const nameOf = (id: number) => chainName(catalog.chain(id), id)
    return send.chainId === receive.chainId
      ? `on ${nameOf(send.chainId)}`
      : `${nameOf(send.chainId)} to ${nameOf(receive.chainId)}`
  }
  return { amount, way }
}

/** A row that shows more when it is opened. */
function Row({
  badge,
  children,
  isOpen,
  mark,
  note,
  title
}: {
  readonly mark?: ReactNode
  readonly title: ReactNode
  readonly note: ReactNode
  readonly badge: readonly [tone: Tone, text: string]
  readonly isOpen: boolean
  readonly children: ReactNode
}) {
  const [tone, text] = badge
  return (
    <li>
      <details open={isOpen}>
        <summary className="flex min-h-16 list-none items-center gap-3 px-4 py-2.5 hover:bg-canvas sm:px-5">
          {mark}
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-1.5 font-medium tabular-nums">{title}</span>
            <span className="block text-sm text-muted">{note}</span>
          </span>
          <Badge tone={tone}>{text}</Badge>
        </summary>
        {children}
      </details>
    </li>
  )
}

/** One token. `isAlone` if its sweep has no other. */
function Entry({ isAlone, submission }: { readonly submission: Submission; readonly isAlone: boolean }) {
  const { catalog } = useSession()
  const { error, intent, retry } = useIntent(submission)
  const { amount, way } = useTexts()
  const { receive, send, submittedAtMs } = submission
  const symbol = catalog.token(send.chainId, send.token)?.symbol ?? "?"
  return (
    <Row
      badge={BADGES[intent.status] ?? ["accent", "On its way"]}
      isOpen={isAlone ? !isEnded(intent) : intent.status === "failed"}
      mark={<TokenMark chainId={send.chainId} symbol={symbol} />}
      note={
        <>
          {way(submission)}
          {isAlone && (
            <>
              {" "}
              · <Time ms={submittedAtMs} />
            </>
          )}
        </>
      }
      title={
        <>
          {amount(send)} <Icon name="arrowRight" size={13} />
          <span className="sr-only">to at least</span> {amount(receive)}
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4 sm:px-5 sm:pl-17">
        <Progress intent={intent} submission={submission} />
        {isAlone && !isEnded(intent) && <FollowTrouble error={error} retry={retry} />}
      </div>
    </Row>
  )
}

/** All tokens of one signature. */
function Wallet({ sweep }: { readonly sweep: readonly [Submission, ...ReadonlyArray<Submission>] }) {
  const [first] = sweep
  const pending = sweep.find((each) => !isEnded(each))
  const { error, retry } = useIntent(pending ?? first)
  const { amount } = useTexts()
  const least = sweep.reduce((sum, { receive }) => sum + BigInt(receive.amount), 0n)
  const delivered = sweep.filter(({ status }) => status === "delivered").length
  const badge: readonly [Tone, string] =
    pending !== undefined
      ? ["accent", "On its way"]
      : delivered === sweep.length
        ? ["good", "Delivered"]
        : ["bad", `${sweep.length - delivered} failed`]
  return (
    <Row
      badge={badge}
      isOpen={badge[0] !== "good"}
      note={
        <>
          {delivered} of {sweep.length} delivered · <Time ms={first.submittedAtMs} />
        </>
      }
      title={
        <>
          {sweep.length} tokens <Icon name="arrowRight" size={13} />
          <span className="sr-only">to at least</span> {amount({ ...first.receive, amount: least.toString() })}
        </>
      }
    >
      {pending !== undefined && (
        <div className="px-4 sm:px-5">
          <FollowTrouble error={error} retry={retry} />
        </div>
      )}
      <ul className="divide-y divide-line border-t border-line bg-canvas">
        {sweep.map((submission) => (
          <Entry isAlone={false} key={submission.id} submission={submission} />
        ))}
      </ul>
    </Row>
  )
}

export function SubmissionList() {
  const { submissions } = useSession()
  const { forgetEnded, list } = submissions
  if (list.length === 0) return null
  const sweeps = bySweep(list)
  const isAnyEnded = sweeps.some((sweep) => sweep.every(isEnded))
  const underWay = list.filter((each) => !isEnded(each)).length
  return (
    <Card
      actions={
        isAnyEnded && (
          <Button onClick={forgetEnded} small variant="quiet">
            Clear finished
          </Button>
        )
      }
      description={underWay === 0 ? "From this browser" : underWay === 1 ? "1 on its way" : `${underWay} on their way`}
      flush
      title="Your sweeps"
    >
      <ul className="divide-y divide-line">
        {sweeps.map((sweep) =>
          sweep.length === 1 ? (
            <Entry isAlone key={sweep[0].id} submission={sweep[0]} />
          ) : (
            <Wallet key={sweep[0].id} sweep={sweep} />
          )
        )}
      </ul>
    </Card>
  )
}
