/** Sweeps on their way from the quote to the delivery. */
import { counter, gauge, seconds, SLOW } from "../Family.ts"

export const INTENTS = gauge({
  name: "sweep_intents",
  help: "Intents in each status.",
  labels: { status: "Status of the intent." }
})

export const INTENTS_OLDEST = gauge({
  name: "sweep_intents_oldest_seconds",
  help: "Age of the oldest intent that waits, in seconds. 0 if none does.",
  labels: {
    waiting:
      "`quoted` for a submission, `queued` for the relayer, `broadcast` for a block, `settled_source` for the delivery."
  }
})

export const INTENTS_ENDED = counter({
  name: "sweep_intents_ended_total",
  help: "Intents that this process ended.",
  labels: {
    chain_id: "Id of the source chain.",
    outcome: "`delivered` or `failed`.",
    reason: "Reason of the failure. Empty for deliveries."
  }
})

export const STAGES = ["submitted", "broadcast", "settled", "delivered"] as const

export const STAGE_DURATION = seconds({
  name: "sweep_stage_duration_seconds",
  help: "Time that intents take from the stage before, in seconds.",
  labels: {
    chain_id: "Id of the source chain.",
    stage:
      "Stage that was reached: `submitted` since the quote, `broadcast` since the submission, `settled` since the broadcast, `delivered` across chains since the settlement."
  },
  buckets: SLOW
})

export const SWEEP_DURATION = seconds({
  name: "sweep_duration_seconds",
  help: "Time from the submission to the settlement on the source chain, in seconds.",
  labels: { chain_id: "Id of the source chain." },
  buckets: SLOW
})
