/** Reasons of a postponed sweep. Apart from the errors, which the widget takes from the main entry. */

/** Reasons that the service gives with 503. It stored nothing. A gateway may answer 503 with a reason of its own. */
export const POSTPONEMENTS: ReadonlyArray<string> = [
  "screening_unavailable",
  "budget_spent",
  "chain_unavailable",
  "busy"
]
