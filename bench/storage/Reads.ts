/** Times of the reads that an operator's requests and the loops make. */
import { Effect } from "effect"
import { HeldIntents } from "../../src/ports/orchestrator/HeldIntents.ts"
import { Intents } from "../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../src/ports/orchestrator/RelayTransactions.ts"

const RUNS = 20

/** Median of some runs, in milliseconds. */
const median = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  yield* effect
  const times: Array<number> = []
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now()
    yield* effect
    times.push(performance.now() - started)
  }
  return Math.round((times.toSorted((a, b) => a - b)[RUNS / 2] ?? 0) * 100) / 100
})

export const times = Effect.gen(function* () {
  const held = yield* HeldIntents
  const intents = yield* Intents
  const outbox = yield* Outbox
  const transactions = yield* RelayTransactions
  const now = Date.now()
  return yield* Effect.all({
    intentCounts: median(intents.counts),
    outboxCounts: median(outbox.counts),
    find: median(intents.find("i77")),
    claim: median(intents.claim({ chainId: 1, worker: "bench", leaseMillis: 0, limit: 50 })),
    overdue: median(intents.overdue(1, 10n ** 9n, 50)),
    deliveriesDue: median(intents.deliveriesDue(1, 7, 50)),
    stuck: median(held.stuck({ beforeMs: now, limit: 50 })),
    unfinished: median(transactions.unfinished(1)),
    spending: median(transactions.spending(1, now - 86_400_000))
  })
})
