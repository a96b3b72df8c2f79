/** Sweeps submitted from this browser: pending ones, followed live, and the outcome of earlier ones. */
import { readable } from "../lib/amounts.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Time } from "../ui/Time.tsx"
import { chainName, unitOf } from "./catalog.ts"
import { Progress } from "./Progress.tsx"
import { useSession } from "./session.ts"
import { isEnded, type Side, type Submission } from "./submissions.ts"
import { TokenMark } from "./TokenMark.tsx"
import { useIntent } from "./useIntent.ts"

const BADGES: Readonly<Record<string, readonly [tone: Tone, text: string]>> = {
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"]
}

const useAmountText = () => {
  const { catalog } = useSession()
  return ({ amount, chainId, token }: Side) => {
    const { decimals, symbol } = unitOf(catalog, { chainId, address: token })
    return `${readable(BigInt(amount), decimals, 4)} ${symbol}`
  }
}

function Entry({ submission }: { readonly submission: Submission }) {
  const { catalog } = useSession()
  const { error, intent, retry } = useIntent(submission)
  const amountText = useAmountText()
  const { receive, send, submittedAtMs } = submission
  const nameOf = (id: number) => chainName(catalog.chain(id), id)
  const [tone, text] = BADGES[intent.status] ?? ["accent", "On its way"]
  return (
    <li>
      <details className="group" open={!isEnded(intent)}>
        <summary className="flex min-h-16 list-none items-center gap-3 px-4 py-2.5 hover:bg-canvas sm:px-5">
          <TokenMark chainId={send.chainId} symbol={catalog.token(send.chainId, send.token)?.symbol ?? "?"} />
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-1.5 font-medium tabular-nums">
              {amountText(send)} <Icon name="arrowRight" size={13} />
              <span className="sr-only">to at least</span> {amountText(receive)}
            </span>
            <span className="block text-sm text-muted">
              {send.chainId === receive.chainId
                ? `on ${nameOf(send.chainId)}`
                : `${nameOf(send.chainId)} to ${nameOf(receive.chainId)}`}{" "}
              · <Time ms={submittedAtMs} />
            </span>
          </span>
          <Badge tone={tone}>{text}</Badge>
        </summary>
        <div className="px-4 pt-1 pb-4 sm:px-5 sm:pl-17">
          <Progress error={error} intent={intent} retry={retry} submission={submission} />
        </div>
      </details>
    </li>
  )
}

export function SubmissionList() {
  const { submissions } = useSession()
  const { forgetEnded, list } = submissions
  if (list.length === 0) return null
  const underWay = list.filter((each) => !isEnded(each)).length
  return (
    <Card
      actions={
        underWay < list.length && (
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
        {list.map((submission) => (
          <Entry key={submission.id} submission={submission} />
        ))}
      </ul>
    </Card>
  )
}
