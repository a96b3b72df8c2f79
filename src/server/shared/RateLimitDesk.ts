/** Rate limits for the operator: shows them, and changes them on all replicas of the service. Every change is recorded. */
import { Context, Effect, Layer } from "effect"
import { BOUNDS, type RateLimitPolicy, type RateLimitView } from "../../domain/RateLimit.ts"
import { Overrides } from "../../ports/shared/Overrides.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"
import * as RateLimits from "./RateLimits.ts"
import { ServerSettings } from "./ServerSettings.ts"

export class RateLimitDesk extends Context.Service<
  RateLimitDesk,
  {
    /** Every rate limit of the service. */
    readonly list: Effect.Effect<ReadonlyArray<RateLimitView>, StoreUnavailable>
    /** Sets the requests of a window, or drops the choice for them (null). Repeating a change does nothing. */
    readonly change: (
      policy: RateLimitPolicy,
      requests: number | null,
      change: { readonly actor: string; readonly reason: string }
    ) => Effect.Effect<RateLimitView, StoreUnavailable>
  }
>()("sweep/server/RateLimitDesk") {
  /** `policies` are those of the service. */
  static readonly layer = (policies: ReadonlyArray<RateLimitPolicy>) => Layer.effect(RateLimitDesk, make(policies))
}

const make = Effect.fnUntraced(function* (policies: ReadonlyArray<RateLimitPolicy>) {
  const { current, refresh } = yield* KeptOverrides
  const overrides = yield* Overrides
  const { rateLimits } = yield* ServerSettings

  const viewOf = (policy: RateLimitPolicy) =>
    Effect.map(current, (all) => {
      const chosen = RateLimits.choicesOf(all).find((choice) => choice.policy === policy)
      const { limit, windowMillis } = rateLimits[policy]
      return {
        policy,
        windowSeconds: Math.ceil(windowMillis / 1_000),
        requests: chosen?.requests ?? limit,
        configured: limit,
        ...BOUNDS[policy],
        chosen:
          chosen === undefined
            ? null
            : { requests: chosen.requests, actor: chosen.actor, reason: chosen.reason, sinceMs: chosen.sinceMs }
      } satisfies RateLimitView
    })

  const change: RateLimitDesk["Service"]["change"] = Effect.fn("RateLimitDesk.change")(function* (
    policy,
    requests,
    { actor, reason }
  ) {
    const value = requests === null ? undefined : String(requests)
    const record = {
      actor,
      action: value === undefined ? "rate_limit.cleared" : "rate_limit.set",
      subject: policy,
      details: { reason, ...(value === undefined ? {} : { requests: value }) }
    }
    const isChanged = yield* overrides.set({ name: RateLimits.overrideName(policy), value, reason }, record)
    yield* refresh
    if (isChanged) yield* Effect.annotateLogs(Effect.logInfo("rate_limit.changed"), { policy, to: value ?? "default" })
    return yield* viewOf(policy)
  })

  return RateLimitDesk.of({ list: Effect.andThen(refresh, Effect.forEach(policies, viewOf)), change })
})
