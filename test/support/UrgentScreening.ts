/** Screening whose requests for quotes are used up. It clears everybody for submissions and for the relay. */
import { Effect, Layer } from "effect"
import * as Priority from "../../src/ports/shared/Priority.ts"
import { Screening, ScreeningBlocked } from "../../src/ports/shared/Screening.ts"

export const urgentOnly = Layer.succeed(Screening, {
  clear: () =>
    Effect.flatMap(Priority.Current, (priority) =>
      Priority.rank(priority) <= Priority.rank("intake")
        ? Effect.void
        : Effect.fail(new ScreeningBlocked({ cause: "unavailable" }))
    )
})
