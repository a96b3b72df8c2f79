/**
 * {@link Screening} from a list that tests can change. Every unlisted address is clear. With `available` off, every
 * request is blocked, as in an outage.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { Screening, ScreeningBlocked } from "../../../ports/shared/Screening.ts"

export interface State {
  readonly listed: ReadonlySet<Address.Address>
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class ScreeningState extends Context.Service<ScreeningState, Ref.Ref<State>>()(
  "sweep/adapters/memory/ScreeningState"
) {}

export const layer = (initial: Partial<State> = {}): Layer.Layer<Screening | ScreeningState> =>
  Layer.effect(
    Screening,
    Effect.map(ScreeningState, (state) => ({
      clear: Effect.fn("Screening.clear")(function* (_chainId, addresses) {
        const { available, listed } = yield* Ref.get(state)
        if (addresses.some((address) => listed.has(address))) return yield* new ScreeningBlocked({ cause: "listed" })
        if (!available) return yield* new ScreeningBlocked({ cause: "unavailable" })
      })
    }))
  ).pipe(Layer.provideMerge(Layer.effect(ScreeningState, Ref.make({ listed: new Set(), available: true, ...initial }))))
