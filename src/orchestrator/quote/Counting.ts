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

/** Reason that an operator sees. A client is told less: neither that a budget is full, nor that one of the parties is listed. */
export const reasonIn = (failure: unknown): string => {
  if (failure instanceof QuoteFailed) return failure.reason === "budget_spent" ? failure.reason : reasonOf(failure)
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
