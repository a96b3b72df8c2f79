/** The watcher's duty that looks for receipts, as one of several processes has it. */
import { Effect, Layer } from "effect"
import { SentHere } from "../../src/orchestrator/shared/SentHere.ts"
import * as Duties from "../../src/orchestrator/watch/Duties.ts"
import { parts } from "../../src/orchestrator/watch/Watcher.ts"
import { source } from "./RelayFixtures.ts"

/** The receipts of the source chain, as a process looks for them. It has sent the transactions with these ids. */
export const receiptsOf = (sentIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { note } = yield* SentHere
    for (const id of sentIds) note(id)
    const duties = yield* Duties.make
    return yield* Effect.fromNullishOr(
      duties.find(({ fields }) => fields["duty"] === "receipts" && fields["chain"] === source.name)
    )
  }).pipe(
    Effect.orDie,
    // A process has its own.
    Effect.provide(Layer.fresh(parts))
  )
