/** Quotes, submissions and the verdicts on their tokens. */
import { counter, FAST, seconds } from "../Family.ts"

export const QUOTES = counter({
  name: "sweep_quotes_total",
  help: "Quotes, each token of a wallet by itself.",
  labels: {
    outcome: "`offered` or `refused`.",
    reason:
      "Reason of the refusal as the client sees it, or `budget_spent`, `chain_paused`, `paused`, `fee_limit` or `screening_blocked`, which it does not. Empty for offers.",
    provider: "Source of the offered route. Empty for refusals."
  }
})

export const UNATTRIBUTED = counter({
  name: "sweep_quotes_unattributed_total",
  help: "Quotes with a builder's API key that are priced without its markup. Unknown keys do not count.",
  labels: {
    cause:
      "`unavailable`: the builder backend did not answer. `screening`: the payout address is not cleared. `wallet_chain`: the token takes a fee from transfers, and the builder's contract wallet is on another chain."
  }
})

export const QUOTE_DURATION = seconds({
  name: "sweep_quote_duration_seconds",
  help: "Time that a quote takes, offered or refused, in seconds.",
  labels: { kind: "`one` for `POST /quote`, `wallet` for `POST /quotes`." },
  buckets: FAST
})

export const SUBMISSIONS = counter({
  name: "sweep_submissions_total",
  help: "Submissions of signed orders.",
  labels: { outcome: "`accepted` or `refused`.", reason: "Reason of the refusal. Empty for accepted ones." }
})

export const TOKEN_VERDICTS = counter({
  name: "sweep_token_verdicts_total",
  help: "Verdicts on tokens that no list vouches for.",
  labels: { outcome: "The verdict." }
})

export const TOKEN_REASONS = counter({
  name: "sweep_token_verdict_reasons_total",
  help: "Reasons of verdicts on tokens.",
  labels: { reason: "Source of the reason, and its word." }
})
