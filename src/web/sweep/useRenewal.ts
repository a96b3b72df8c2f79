/**
 * Compares each renewed plan with those before it, while the user looks. A plan that brings less is said, and cannot be signed for a moment:
 * somebody who was about to press the button agreed to the other one.
 */
import { useEffect, useState } from "react"
import type { BatchReview } from "../../sdk/index.ts"
import { type Change, changeOf, leastOf } from "./plan.ts"

/** A plan that can be compared with its renewal. */
interface Renewable {
  readonly review: BatchReview | undefined
}

/** A change that the user did not ask for, with the least amount before it. */
export interface Renewed {
  readonly kind: Change
  readonly agreed: bigint
}

export interface Renewal<Plan extends Renewable> {
  readonly plan: Plan | undefined
  /** Undefined if the plan brings as much as all plans of the same request before it. */
  readonly renewed: Renewed | undefined
  /** True while the change is so new that the button waits. */
  readonly isHeld: boolean
}

/** The state after another plan. A plan of another request begins anew. */
export const afterPlan = <Plan extends Renewable>(
  before: Renewal<Plan>,
  plan: Plan | undefined,
  isSameRequest: (a: Plan, b: Plan) => boolean
): Renewal<Plan> => {
  const last = before.plan
  if (plan === undefined || last?.review === undefined || !isSameRequest(last, plan)) {
    return { plan, renewed: undefined, isHeld: false }
  }
  const kind = changeOf(last.review, plan.review)
  const earlier = before.renewed
  if (kind !== undefined) {
    const agreed = leastOf(last.review)
    return {
      plan,
      renewed: { kind, agreed: earlier !== undefined && earlier.agreed > agreed ? earlier.agreed : agreed },
      isHeld: true
    }
  }
  const isMended = earlier?.kind === "lower" && leastOf(plan.review) >= earlier.agreed
  return { plan, renewed: isMended ? undefined : earlier, isHeld: before.isHeld }
}

/** Time for which the button waits after a change, long enough to see it. */
const HOLD_MILLIS = 2_000

/** Follows the plans of a page. `isSameRequest` must be a stable function. */
export const useRenewal = <Plan extends Renewable>(
  plan: Plan | undefined,
  isSameRequest: (a: Plan, b: Plan) => boolean
): Renewal<Plan> => {
  const [state, setState] = useState<Renewal<Plan>>({ plan, renewed: undefined, isHeld: false })
  // Set while rendering, so that the button never shows the new plan without its hold.
  const current = state.plan === plan ? state : afterPlan(state, plan, isSameRequest)
  if (current !== state) setState(current)
  const { isHeld } = current
  useEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(() => setState((held) => ({ ...held, isHeld: false })), HOLD_MILLIS)
    return () => clearTimeout(timer)
  }, [isHeld, plan])
  return current
}
