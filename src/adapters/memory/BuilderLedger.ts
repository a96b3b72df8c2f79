/**
 * {@link BuilderLedger} that keeps its entries in memory under the rules of the real one: the same content again changes
 * nothing, other content under the same sweep id is refused. For tests of what stands on it.
 */
import { Context, Effect, Equal, Layer, Ref } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import { BuilderLedger, LedgerRefused, LedgerUnavailable } from "../../ports/BuilderLedger.ts"

export interface State {
  /** In the order in which they were booked. */
  readonly entries: ReadonlyArray<OutboxMessage>
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class BuilderLedgerState extends Context.Service<BuilderLedgerState, Ref.Ref<State>>()(
  "sweep/adapters/memory/BuilderLedgerState"
) {}

const sweepIdOf = (message: OutboxMessage): string =>
  message._tag === "Accrual" ? message.accrual.sweepId : message.revenue.sweepId

export const layer = (initial: Partial<State> = {}): Layer.Layer<BuilderLedger | BuilderLedgerState> =>
  Layer.effect(
    BuilderLedger,
    Effect.map(BuilderLedgerState, (state) => ({
      book: Effect.fn("BuilderLedger.book")(function* (message) {
        const outcome = yield* Ref.modify(state, (before) => book(before, message))
        return yield* outcome
      })
    }))
  ).pipe(Layer.provideMerge(Layer.effect(BuilderLedgerState, Ref.make({ entries: [], available: true, ...initial }))))

const book = (
  state: State,
  message: OutboxMessage
): readonly [Effect.Effect<void, LedgerUnavailable | LedgerRefused>, State] => {
  if (!state.available) return [Effect.fail(new LedgerUnavailable({ detail: "turned off" })), state]
  const booked = state.entries.find((entry) => entry._tag === message._tag && sweepIdOf(entry) === sweepIdOf(message))
  if (booked === undefined) return [Effect.void, { ...state, entries: [...state.entries, message] }]
  if (Equal.equals(booked, message)) return [Effect.void, state]
  return [Effect.fail(new LedgerRefused({ status: 409, detail: "booked with other content" })), state]
}
