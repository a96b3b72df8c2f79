/** The sweeps of a plan, one after another. Each is quoted, reviewed and signed separately, without waiting for delivery. */
import { useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Banner } from "./Banner.tsx"
import { keyOf } from "./catalog.ts"
import type { Plan } from "./ChooseStep.tsx"
import { useSession } from "./session.ts"
import { SweepCard, type Turn } from "./SweepCard.tsx"

type Turns = Readonly<Record<string, Turn>>

/** Sets the state of one card, and activates the next waiting one. */
const advance = (turns: Turns, key: string, turn: Turn): Turns => {
  const eased =
    turn === "current"
      ? Object.entries(turns).map(([each, at]) => [each, at === "current" ? "waiting" : at] as const)
      : Object.entries(turns)
  const changed: Record<string, Turn> = { ...Object.fromEntries(eased), [key]: turn }
  const next = Object.keys(changed).find((each) => changed[each] === "waiting")
  const isAnyCurrent = Object.values(changed).includes("current")
  return next === undefined || isAnyCurrent ? changed : { ...changed, [next]: "current" }
}

const begin = ({ tokens }: Plan): Turns =>
  Object.fromEntries(tokens.map((token, index) => [keyOf(token), index === 0 ? "current" : "waiting"]))

export function ReviewStep({ onBack, plan }: { readonly plan: Plan; readonly onBack: () => void }) {
  const [turns, setTurns] = useState(() => begin(plan))
  const { submissions } = useSession()
  const states = Object.values(turns)
  const areAllDone = states.every((turn) => turn === "submitted" || turn === "skipped")
  const submitted = states.filter((turn) => turn === "submitted").length
  const isAnyUnderWay = submissions.list.some(({ status }) => status !== "delivered" && status !== "failed")
  return (
    <div className="mx-auto flex w-full max-w-[44rem] flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p aria-live="polite" className="text-muted">
          {submitted === 0 ? "Review each sweep before you sign it." : `${submitted} of ${states.length} signed`}
        </p>
        <Button onClick={onBack} small>
          {areAllDone ? "Sweep more" : "Back to your tokens"}
        </Button>
      </div>
      {areAllDone && submitted > 0 && isAnyUnderWay && (
        <Banner tone="info">All sweeps are signed. You can close this page: pending sweeps continue without it.</Banner>
      )}
      <ol className="flex flex-col gap-3">
        {plan.tokens.map((token) => {
          const key = keyOf(token)
          return (
            <SweepCard
              isOnly={plan.tokens.length === 1}
              key={key}
              onTurn={(turn) => setTurns((now) => advance(now, key, turn))}
              plan={plan}
              token={token}
              turn={turns[key] ?? "waiting"}
            />
          )
        })}
      </ol>
    </div>
  )
}
