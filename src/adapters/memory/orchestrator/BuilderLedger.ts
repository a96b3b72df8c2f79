/**
 * {@link BuilderLedger} in memory, under the rules of the real one: the same content again changes nothing, and other
 * content under the same id is refused.
 */
import { Context, Effect, Equal, Layer, Ref } from "effect"
import type { LedgerMessage } from "../../../domain/Accrual.ts"
import type { SweepEvent } from "../../../domain/SweepEvent.ts"
import { BuilderLedger, LedgerRefused, LedgerUnavailable } from "../../../ports/orchestrator/BuilderLedger.ts"

export interface State {
  /** In the order of booking. */
  readonly entries: ReadonlyArray<LedgerMessage>
  /** In the order of arrival. */
  readonly events: ReadonlyArray<SweepEvent>
  readonly available: boolean
  /** False for a backend that is too old to accept events. */
  readonly takesEvents: boolean
}

/** The test's handle on the adapter. */
export class BuilderLedgerState extends Context.Service<BuilderLedgerState, Ref.Ref<State>>()(
  "sweep/adapters/memory/BuilderLedgerState"
) {}

const INITIAL: State = { entries: [], events: [], available: true, takesEvents: true }

const sweepIdOf = (message: LedgerMessage): string =>
  message._tag === "Accrual" ? message.accrual.sweepId : message.revenue.sweepId

export const layer = (initial: Partial<State> = {}): Layer.Layer<BuilderLedger | BuilderLedgerState> =>
  Layer.effect(
    BuilderLedger,
    Effect.map(BuilderLedgerState, (state) => ({
      book: Effect.fn("BuilderLedger.book")((message) =>
        Effect.flatten(Ref.modify(state, (before) => book(before, message)))
      ),
      bookRevenues: Effect.fn("BuilderLedger.bookRevenues")(function* (revenues) {
        const booked = yield* Effect.forEach(revenues, (revenue) =>
          Ref.modify(state, (before) => book(before, { _tag: "Revenue", revenue })).pipe(
            Effect.flatten,
            Effect.as([revenue.sweepId]),
            Effect.catchTag("LedgerRefused", () => Effect.succeed([]))
          )
        )
        return new Set(booked.flat())
      }),
      tell: Effect.fn("BuilderLedger.tell")((event) =>
        Effect.flatten(Ref.modify(state, (before) => tell(before, event)))
      )
    }))
  ).pipe(Layer.provideMerge(Layer.effect(BuilderLedgerState, Ref.make({ ...INITIAL, ...initial }))))

type Outcome = readonly [Effect.Effect<void, LedgerUnavailable | LedgerRefused>, State]

const tell = (state: State, event: SweepEvent): Outcome => {
  if (!state.available) return [Effect.fail(new LedgerUnavailable({ detail: "turned off" })), state]
  if (!state.takesEvents) return [Effect.fail(new LedgerRefused({ status: 404, detail: "not found" })), state]
  const told = state.events.find(({ id }) => id === event.id)
  if (told === undefined) return [Effect.void, { ...state, events: [...state.events, event] }]
  if (Equal.equals(told, event)) return [Effect.void, state]
  return [Effect.fail(new LedgerRefused({ status: 409, detail: "told with other content" })), state]
}

const book = (state: State, message: LedgerMessage): Outcome => {
  if (!state.available) return [Effect.fail(new LedgerUnavailable({ detail: "turned off" })), state]
  const booked = state.entries.find((entry) => entry._tag === message._tag && sweepIdOf(entry) === sweepIdOf(message))
  if (booked === undefined) return [Effect.void, { ...state, entries: [...state.entries, message] }]
  if (Equal.equals(booked, message)) return [Effect.void, state]
  return [Effect.fail(new LedgerRefused({ status: 409, detail: "booked with other content" })), state]
}
