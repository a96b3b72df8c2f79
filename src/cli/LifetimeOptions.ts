/** Checks of the lifetimes of quotes and orders against each other. */
import { Effect } from "effect"
import { orchestrator } from "../config/Orchestrator.ts"
import { MAX_LIFETIME_SECONDS } from "../sdk/review/ReviewOptions.ts"
import { UsageError } from "./UsageError.ts"

/** Fails if clients would refuse every order. */
export const orderLifetime = Effect.gen(function* () {
  const lifetime = yield* orchestrator.quoteLifetimeSeconds.config
  const grace = yield* orchestrator.orderGraceSeconds.config
  if (lifetime + grace <= MAX_LIFETIME_SECONDS) return
  return yield* new UsageError({
    detail: `QUOTE_LIFETIME_SECONDS (${lifetime}) and ORDER_GRACE_SECONDS (${grace}) are ${lifetime + grace} s together, and clients refuse orders whose deadline is more than ${MAX_LIFETIME_SECONDS} s ahead. Lower one of them`
  })
})

/** Fails if quotes would be deleted while they are valid. */
export const quotesKept = Effect.gen(function* () {
  const lifetime = yield* orchestrator.quoteLifetimeSeconds.config
  const kept = (yield* orchestrator.keepQuotesHours.config) * 3_600
  if (lifetime <= kept) return
  return yield* new UsageError({
    detail: `QUOTE_LIFETIME_SECONDS (${lifetime}) is longer than KEEP_QUOTES_HOURS (${kept} s), so that valid quotes would be deleted. Lower the one, or raise the other`
  })
})
