/** Real processes take real time, whatever clock the test itself runs on. */
import { Clock, Effect } from "effect"

export const withLiveClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())
