/** Notes how long intents take from one stage to the next: for the metrics, and as spans of their traces. */
import { Clock, Effect } from "effect"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import * as SweepTrace from "../../telemetry/SweepTrace.ts"
import { INTENTS_ENDED, STAGE_DURATION, type STAGES, SWEEP_DURATION } from "../../telemetry/metrics/Sweeps.ts"

type Stage = (typeof STAGES)[number]

const chainOf = ({ quote }: Pick<Intent, "quote">): string => String(quote.sourceChainId)

/** An intent reached the stage now, after it reached the stage before at `sinceMs` (UNIX milliseconds). */
export const reached = (stage: Stage, intent: Pick<Intent, "quote" | "trace">, sinceMs: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    STAGE_DURATION.record(Math.max(0, now - sinceMs) / 1_000, { chain_id: chainOf(intent), stage })
  ).pipe(Effect.andThen(SweepTrace.mark(`sweep.${stage}`, intent.trace, sinceMs)))

/** An intent settled on its source chain now. `broadcastMs`: when it was first sent, if this service sent it. */
export const settled = (
  intent: Pick<Intent, "quote" | "submittedAtMs" | "trace">,
  broadcastMs: number | undefined
): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.andThen(
      broadcastMs === undefined ? Effect.void : reached("settled", intent, broadcastMs),
      intent.submittedAtMs === undefined
        ? Effect.void
        : SWEEP_DURATION.record(Math.max(0, now - intent.submittedAtMs) / 1_000, { chain_id: chainOf(intent) })
    )
  )

export const delivered = (intent: Pick<Intent, "quote">): Effect.Effect<void> =>
  INTENTS_ENDED.record(1, { chain_id: chainOf(intent), outcome: "delivered", reason: "" })

export const failed = (intent: Pick<Intent, "quote">, reason: string): Effect.Effect<void> =>
  INTENTS_ENDED.record(1, { chain_id: chainOf(intent), outcome: "failed", reason })
