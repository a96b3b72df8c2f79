/** Runs a check of each chain side by side. A chain without an answer spoils no other. */
import { Effect } from "effect"
import * as Checks from "../../domain/doctor/Checks.ts"
import { type Finding, found } from "../../domain/doctor/Finding.ts"
import type { Served, Unknown } from "./Check.ts"

/** Longest check of one chain. */
const LIMIT = "25 seconds"

export const eachChain = <R>(
  served: ReadonlyArray<Served>,
  judged: (served: Served) => Effect.Effect<ReadonlyArray<Finding>, Unknown, R>
): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  Effect.map(
    Effect.forEach(
      served,
      (one) =>
        judged(one).pipe(
          Effect.timeoutOrElse({
            duration: LIMIT,
            orElse: () => Effect.succeed([found(Checks.kinds.tooSlow, one.entry.name, `not done within ${LIMIT}`)])
          }),
          Effect.catch(({ message }) => Effect.succeed([found(Checks.kinds.notChecked, one.entry.name, message)]))
        ),
      { concurrency: "unbounded" }
    ),
    (all) => all.flat()
  )
