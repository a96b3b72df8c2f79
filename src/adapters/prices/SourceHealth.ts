/** Counts the outcomes of a price source, for the list of providers that operators see. */
import { Cause, Clock, Effect, Exit, Option } from "effect"
import type { Prices } from "../../ports/orchestrator/Prices.ts"
import { ProviderStates } from "../../ports/shared/ProviderStates.ts"
import * as Health from "../providers/Health.ts"

/** A source is asked in any case: it has no circuit and no pause of its own here. */
const CLOSED: Health.Circuit = { state: "closed", retryAfterMillis: 0 }

/** The source, with its state in the list under `prices: <name>`. */
export const watched = Effect.fnUntraced(function* (name: string, source: Prices["Service"]) {
  const states = yield* ProviderStates
  let counts = Health.NONE
  yield* states.register(
    Effect.map(Clock.currentTimeMillis, (now) => Health.stateOf(`prices: ${name}`, counts, CLOSED, 0, now))
  )
  const counted = <A, E extends { readonly detail: string }>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.onExit(read, (exit) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (Exit.isSuccess(exit)) counts = Health.succeeded(counts, now)
        else if (!Cause.hasInterruptsOnly(exit.cause)) {
          const detail = Option.match(Exit.findErrorOption(exit), {
            onNone: () => "a defect",
            onSome: (error) => error.detail
          })
          counts = Health.failed(counts, detail)
        }
      })
    )
  return {
    detailed: (...request: Parameters<Prices["Service"]["detailed"]>) => counted(source.detailed(...request)),
    usd: (...request: Parameters<Prices["Service"]["usd"]>) => counted(source.usd(...request))
  } satisfies Prices["Service"]
})
