/** Reasons of a postponed sweep. Apart from the errors, since the widget takes those from the main entry. */

/** Reasons that the service gives with 503. It stored nothing. A gateway may answer 503 with a reason of its own. */
export const POSTPONEMENTS: ReadonlyArray<string> = [
  "screening_unavailable",
  "budget_spent",
  "chain_unavailable",
  "busy"
]

/** True if the service itself postponed the sweep, so that nothing of it is stored. */
export const isPostponement = ({ reason }: { readonly reason: string }): boolean => POSTPONEMENTS.includes(reason)
