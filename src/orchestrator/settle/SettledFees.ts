/** Counts the fees of settled sweeps for the metrics, in US dollars as they were quoted. */
import { Effect } from "effect"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { FEES_EARNED } from "../../telemetry/metrics/Relay.ts"

/** Counts nothing for quotes of releases that did not store their fees. */
export const counted = ({ quote }: Pick<Intent, "quote">): Effect.Effect<void> =>
  Effect.forEach(
    Object.entries(quote.feeBreakdown ?? {}),
    ([fee, { usd }]) => FEES_EARNED.record(Number(usd), { chain_id: String(quote.sourceChainId), fee }),
    { discard: true }
  )
