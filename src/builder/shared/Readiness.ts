/** Tells load balancers if this process can serve anything: every route needs a database that takes writes. */
import { Context, Effect, Layer, Option } from "effect"
import { StoreProbe } from "../../ports/shared/Store.ts"
import { recent } from "../../runtime/Recent.ts"
import { within } from "../../runtime/Within.ts"

/** Time limit of the write, in milliseconds. */
const PROBE_MILLIS = 2_500

/** Time for which a result answers further requests, in milliseconds. */
const FRESH_MILLIS = 1_000

export class Readiness extends Context.Service<
  Readiness,
  {
    /** True if a write succeeded in time. */
    readonly isStored: Effect.Effect<boolean>
  }
>()("sweep/builder/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const written = (yield* StoreProbe).pipe(
        within(PROBE_MILLIS),
        Effect.map(Option.isSome),
        Effect.catchTag("StoreUnavailable", ({ message }) => Effect.as(Effect.logWarning(message), false))
      )
      return { isStored: yield* recent(FRESH_MILLIS)(written) }
    })
  )
}
