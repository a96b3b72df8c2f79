/** A scene in which the relayer has just sent one sweep, and the steps that tests of the watcher take from there. */
import { Effect, Ref } from "effect"
import { BuilderLedgerState } from "../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import { Relayer } from "../../src/orchestrator/relay/Relayer.ts"
import { Watcher } from "../../src/orchestrator/watch/Watcher.ts"
import { scene } from "./RelayScene.ts"
import { source, type Sweep } from "./RelayFixtures.ts"

/** One pass of the relayer over the source chain. */
export const relay = Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))

/** One pass of the watcher. */
export const tick = Effect.flatMap(Watcher, (watcher) => watcher.tick)

/** Entries that the builder backend has booked. */
export const booked = Effect.flatMap(BuilderLedgerState, (ledger) =>
  Effect.map(Ref.get(ledger), ({ entries }) => entries)
)

/** Sweep `a`, sent in `transaction` by its first attempt. */
export const sentSweep = Effect.fnUntraced(function* (sweep: Partial<Sweep> = {}) {
  const the = yield* scene
  const intent = yield* the.submit({ id: "a", ...sweep })
  yield* relay
  const transaction = yield* the.pending
  const [attempt] = transaction.attempts
  if (attempt === undefined) return yield* Effect.die("no attempt")
  return { ...the, order: intent, transaction, attempt, status: Effect.map(the.intent("a"), ({ status }) => status) }
})
