/** Counts quotes by outcome, and measures how long they take. */
import { Effect, Exit, Option } from "effect"
import { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { QUOTE_DURATION, QUOTES } from "../../telemetry/metrics/Quotes.ts"
import { timed } from "../../telemetry/Timed.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import { reasonOf } from "./Reasons.ts"

export const offered = (provider: string): Effect.Effect<void> =>
  QUOTES.record(1, { outcome: "offered", reason: "", provider })

export const refused = (reason: string): Effect.Effect<void> =>
  QUOTES.record(1, { outcome: "refused", reason, provider: "" })

/** Reasons that an operator tells apart, and clients do not: a full budget, a pause, and gas above the operator's limit. */
const OWN: ReadonlySet<QuoteFailed["reason"]> = new Set(["budget_spent", "chain_paused", "paused", "fee_limit"])

/** Reason that an operator sees. A client is told less, and never that one of the parties is listed. */
export const reasonIn = (failure: unknown): string => {
  if (failure instanceof QuoteFailed) return OWN.has(failure.reason) ? failure.reason : reasonOf(failure)
  if (failure instanceof ScreeningBlocked) return failure.cause === "listed" ? "screening_blocked" : reasonOf(failure)
  return "request_refused"
}

/** Measures quotes, and counts those that are refused as a whole. A request whose client left is not counted. */
export const measured = (kind: "one" | "wallet") =>
  timed((exit, seconds) => {
    const failure = Exit.isFailure(exit) ? Exit.findErrorOption(exit) : Option.none()
    const isOver = Exit.isSuccess(exit) || Option.isSome(failure)
    return Effect.andThen(
      isOver ? QUOTE_DURATION.record(seconds, { kind }) : Effect.void,
      Option.isSome(failure) ? refused(reasonIn(failure.value)) : Effect.void
    )
  })
