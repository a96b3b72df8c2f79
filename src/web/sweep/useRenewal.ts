/**
 * Compares each renewed plan with those before it, while the user looks. A changed plan is said, and cannot be signed for a moment: somebody
 * who was about to press the button agreed to the other one.
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
  /** The last review of the same request. A plan without one does not replace it. */
  readonly last: BatchReview | undefined
  /** The last review of the same request before a change. Equals `last` without a change. */
  readonly agreed: BatchReview | undefined
  /** Undefined if the user has seen the terms of the plan, and no plan of the same request before it brings more. */
  readonly renewed: Renewed | undefined
  /** True while the change is so new that the button waits. */
  readonly isHeld: boolean
}

/** The state after the first plan of a request. */
export const begin = <Plan extends Renewable>(plan: Plan | undefined): Renewal<Plan> => ({
  plan,
  last: plan?.review,
  agreed: plan?.review,
  renewed: undefined,
  isHeld: false
})

/** The state after another plan. A plan of another request begins anew. */
export const afterPlan = <Plan extends Renewable>(
  before: Renewal<Plan>,
  plan: Plan | undefined,
  isSameRequest: (a: Plan, b: Plan) => boolean
): Renewal<Plan> => {
  const { agreed, last, renewed: earlier } = before
  if (
    plan === undefined ||
    before.plan === undefined ||
    agreed === undefined ||
    last === undefined ||
    !isSameRequest(before.plan, plan)
  ) {
    return begin(plan)
  }
  const change = changeOf(last, plan.review)
  // A plan that equals the last one may still differ from what was agreed to. Other terms stay until the request changes.
  const sinceAgreed = earlier?.kind === "different" ? earlier.kind : changeOf(agreed, plan.review)
  const next = plan.review ?? last
  // A plan that was agreed to needs no notice, and is held while it is not the one that was shown last.
  if (sinceAgreed === undefined) {
    return { plan, last: next, agreed: next, renewed: undefined, isHeld: before.isHeld || change !== undefined }
  }
  const kind = change === "different" ? change : sinceAgreed
  const least = leastOf(last)
  return {
    plan,
    last: next,
    agreed,
    renewed: { kind, agreed: earlier !== undefined && earlier.agreed > least ? earlier.agreed : least },
    isHeld: before.isHeld || change !== undefined || kind !== earlier?.kind
  }
}

/**
 * The change to show: that of the last press on the button, or that of the renewals. A lower plan needs no notice once it brings `least`
 * again. Other terms need one in any case.
 */
export const changeToShow = (
  pressed: Renewed | undefined,
  renewed: Renewed | undefined,
  least: bigint
): Renewed | undefined => {
  const standing = pressed?.kind === "lower" && least >= pressed.agreed ? undefined : pressed
  return standing === undefined || renewed?.kind === "different" ? (renewed ?? standing) : standing
}

/** Numbers of what the user did. */
export interface Deeds {
  /** Choices, also those that leave the request as it is. */
  readonly choices: number
  /** Sweeps that were submitted. The rest is another request, which changes before the service answers. */
  readonly sweeps: number
}

/** A request, and how many times the user changed it. */
export interface Counted extends Deeds {
  readonly text: string
  readonly changes: number
}

/** The state after another render. A choice that leaves the request as it is does not count, nor does a change by itself. */
export const counted = (before: Counted, text: string, { choices, sweeps }: Deeds): Counted => {
  const isOther = text !== before.text
  const isChoice = choices !== before.choices
  const isSweep = sweeps !== before.sweeps
  if (!isOther && !isChoice && !isSweep) return before
  return { text, choices, sweeps, changes: before.changes + (isSweep || (isOther && isChoice) ? 1 : 0) }
}

/** Counts the changes of a request that the user made. */
export const useChanges = (text: string, deeds: Deeds): number => {
  const [state, setState] = useState<Counted>(() => ({ ...deeds, text, changes: 0 }))
  // Set while rendering: a choice and the change that it brings come in one render.
  const current = counted(state, text, deeds)
  if (current !== state) setState(current)
  return current.changes
}

/** Plans of a page, and the number of changes that the user had made when the last one was asked for. */
export interface Followed<Plan extends Renewable> extends Renewal<Plan> {
  readonly choices: number
}

/**
 * The state after another render. Only a change by the user begins anew: a request may also change by itself, since the account holds more
 * or less, and its plan is then compared with the one that was shown before. There is no plan while another one is asked for.
 */
export const followed = <Plan extends Renewable>(
  before: Followed<Plan>,
  plan: Plan | undefined,
  choices: number
): Followed<Plan> => {
  if (choices !== before.choices) {
    return { ...begin(plan), isHeld: plan !== undefined && plan === before.plan && before.isHeld, choices }
  }
  if (plan === undefined || plan === before.plan) return before
  return { ...afterPlan(before, plan, () => true), choices }
}

/** Time for which the button waits after a change, long enough to see it. */
const HOLD_MILLIS = 2_000

/** Follows the plans of a page. `choices` is the number of them that had changed the request when `plan` was asked for. */
export const useRenewal = <Plan extends Renewable>(plan: Plan | undefined, choices: number): Followed<Plan> => {
  const [state, setState] = useState<Followed<Plan>>(() => ({ ...begin(plan), choices }))
  // Set while rendering, so that the button never shows the new plan without its hold.
  const current = followed(state, plan, choices)
  if (current !== state) setState(current)
  const { isHeld } = current
  useEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(() => setState((held) => ({ ...held, isHeld: false })), HOLD_MILLIS)
    return () => clearTimeout(timer)
  }, [isHeld, plan])
  return current
}
