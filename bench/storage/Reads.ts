/** Times of the reads that an operator's requests and the loops of the orchestrator make. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { HeldIntents } from "../../src/ports/orchestrator/HeldIntents.ts"
import { Intents } from "../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../src/ports/orchestrator/KeptData.ts"
import { MoneyBook } from "../../src/ports/orchestrator/MoneyBook.ts"
import { Outbox } from "../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../src/ports/orchestrator/RelayTransactions.ts"
import { type Reads, reads, WAITING } from "../../test/support/TableReads.ts"

const RUNS = 20

/** Median and minimum of some runs, in milliseconds. */
const times = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  yield* effect
  const runs: Array<number> = []
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now()
    yield* effect
    runs.push(performance.now() - started)
  }
  const sorted = runs.toSorted((a, b) => a - b).map((ms) => Math.round(ms * 100) / 100)
  return { ms: sorted[RUNS / 2] ?? 0, fastestMs: sorted[0] ?? 0 }
})

/** Longest time of a number that is kept instead of counted, in milliseconds: of the fastest run, since others of a busy machine wait. */
const KEPT_MILLIS = 20

const KEPT: ReadonlySet<string> = new Set([
  "intentCounts",
  "outboxCounts",
  "moneyOf90Days",
  "treasury",
  "balances",
  "revenueOf30Days",
  "revenueOf90Days",
  "totalsOf30Days",
  "totalsOf90Days"
])

/** Reads that may go through all that waits: an operator makes them. */
const OPERATORS: ReadonlySet<string> = new Set(["stuck"])

/** Time of a read, and what it read. */
export interface Measure extends Reads {
  /** Median of the runs, in milliseconds. */
  readonly ms: number
  readonly fastestMs: number
}

export type Measures = Readonly<Record<string, Measure>>

/** Times an effect, and tells the large tables and indexes that it used. */
export const timed = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Measure, unknown, R | PgClient.PgClient> =>
  Effect.gen(function* () {
    const { indexes, rows, scanned } = yield* reads(effect)
    return { ...(yield* times(effect)), indexes, scanned, rows }
  })

/** Times of the reads, and the tables and indexes that each of them used. */
export const measured = Effect.gen(function* () {
  const held = yield* HeldIntents
  const intents = yield* Intents
  const kept = yield* KeptData
  const money = yield* MoneyBook
  const outbox = yield* Outbox
  const transactions = yield* RelayTransactions
  const now = Date.now()
  return yield* Effect.all({
    intentCounts: timed(intents.counts),
    outboxCounts: timed(outbox.counts),
    moneyOf90Days: timed(money.since(now - 89 * 86_400_000)),
    find: timed(intents.find("i77")),
    claim: timed(intents.claim({ chainId: 1, worker: "bench", leaseMillis: 0, limit: 50 })),
    messages: timed(outbox.claim({ topic: "ledger", limit: 50, leaseMillis: 0 })),
    overdue: timed(intents.overdue(1, 10n ** 9n, 50)),
    deliveriesDue: timed(intents.deliveriesDue(1, 7, 50)),
    fillsDue: timed(intents.fillsDue(1, 7, 50)),
    stuck: timed(held.stuck({ beforeMs: now, limit: 50 })),
    unfinished: timed(transactions.unfinished(1)),
    spending: timed(transactions.spending(1, now - 86_400_000)),
    oldQuotes: timed(kept.prune("quotes", 0, 100)),
    oldMessages: timed(kept.prune("messages", 0, 100)),
    oldAttempts: timed(kept.prune("attempts", 0, 100)),
    oldEvents: timed(kept.prune("events", 0, 100)),
    oldFills: timed(kept.prune("fills", 0, 100))
  })
})

/** Bars that the reads missed, as sentences. */
export const missed = (measures: Measures): ReadonlyArray<string> =>
  Object.entries(measures).flatMap(([name, { fastestMs, scanned }]) => {
    const large = scanned.filter((table) => !(OPERATORS.has(name) && WAITING.includes(table)))
    return [
      ...(large.length === 0 ? [] : [`${name} reads ${large.join(", ")} from end to end`]),
      ...(KEPT.has(name) && fastestMs > KEPT_MILLIS ? [`${name} takes ${fastestMs} ms, more than ${KEPT_MILLIS}`] : [])
    ]
  })
