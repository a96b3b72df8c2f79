/** Intents in PostgreSQL: the tables are the queue, the lock and the record. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { IllegalTransition } from "../../../domain/Intent.ts"
import { IntentExists, Intents } from "../../../ports/orchestrator/Intents.ts"
import { guarded } from "../shared/Database.ts"
import * as Gathered from "../shared/Gathered.ts"
import * as DeliveryLooks from "./DeliveryLooks.ts"
import * as GivenUpIntents from "./GivenUpIntents.ts"
import * as IntentCreations from "./IntentCreations.ts"
import * as IntentMoves from "./IntentMoves.ts"
import * as IntentQueue from "./IntentQueue.ts"
import * as IntentReads from "./IntentReads.ts"
import * as IntentSubmissions from "./IntentSubmissions.ts"
import * as Sweeps from "./Sweeps.ts"
import { UnreadableIntents } from "./UnreadableIntents.ts"
import * as Wakes from "../shared/Wakes.ts"

const CHANNEL = "token_sweep_intents"

/** Two statements at a time: one collects calls while the other commits. */
const GATHERED = { statements: 2, questions: 100 }

const nextOrderNonce = (sql: PgClient.PgClient): Intents["Service"]["nextOrderNonce"] =>
  Effect.fnUntraced(function* (chainId, owner, atLeast, count = 1) {
    const [row] = yield* sql<{ nonce: string }>`
      INSERT INTO orchestrator.owner_nonces AS o (chain_id, owner, next_nonce)
      VALUES (${chainId}, ${owner}, ${String(atLeast)}::numeric + ${count}::integer)
      ON CONFLICT (chain_id, owner)
      DO UPDATE SET next_nonce = greatest(o.next_nonce, ${String(atLeast)}::numeric) + ${count}::integer
      RETURNING next_nonce - ${count}::integer AS nonce`
    return BigInt(row?.nonce ?? atLeast)
  }, guarded("nextOrderNonce"))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { wake, wakes } = yield* Wakes.make(CHANNEL)
  const wakeAll: IntentSubmissions.Wake = (rows) =>
    Effect.forEach(new Set(rows.map((row) => String(row.source_chain_id))), wake, { discard: true })
  const unreadable = yield* UnreadableIntents
  const createTogether = yield* Gathered.make({ ...GATHERED, run: IntentCreations.createAll(sql) })
  const findTogether = yield* Gathered.make({ ...GATHERED, run: IntentReads.findEach(sql, unreadable) })
  const hasSettledTogether = yield* Gathered.make({ ...GATHERED, run: IntentReads.hasSettledEach(sql) })
  const submitTogether = yield* Gathered.make({
    ...GATHERED,
    run: IntentSubmissions.submitAll(sql, unreadable, wakeAll)
  })

  const create: Intents["Service"]["create"] = Effect.fnUntraced(function* (intent) {
    if (!(yield* createTogether(intent))) return yield* new IntentExists({ id: intent.quote.id })
  })

  const find: Intents["Service"]["find"] = Effect.fnUntraced(function* (id) {
    return yield* Effect.orDie(Effect.fromResult(yield* findTogether(id)))
  })

  const submit: Intents["Service"]["submit"] = Effect.fnUntraced(function* (id, submission, network, waitingFor) {
    const submitted = yield* Effect.orDie(
      Effect.fromResult(yield* submitTogether({ id, submission, network, waitingFor }))
    )
    if (Option.isSome(submitted)) return submitted.value
    const from = yield* IntentMoves.statusOf(sql, id).pipe(guarded("submit"))
    return yield* new IllegalTransition({ from, event: IntentSubmissions.SUBMITTED._tag })
  })

  return Intents.of({
    nextOrderNonce: nextOrderNonce(sql),
    create,
    find,
    findAll: IntentReads.findAll(sql, unreadable),
    states: IntentReads.states(sql),
    quotes: IntentReads.quotes(sql, unreadable),
    submit,
    submitSweep: Sweeps.submit(sql, wakeAll),
    findSweep: Sweeps.find(sql),
    sweepsOf: Sweeps.ofOwner(sql),
    claim: IntentQueue.claim(sql, unreadable),
    release: IntentQueue.release(sql),
    waiting: IntentQueue.waiting(sql),
    overdue: IntentQueue.overdue(sql, unreadable),
    giveUp: GivenUpIntents.giveUp(sql),
    givenUp: GivenUpIntents.givenUp(sql),
    givenUpReasons: GivenUpIntents.givenUpReasons(sql),
    apply: IntentMoves.apply(sql),
    applyAll: IntentMoves.applyAll(sql),
    resettle: IntentMoves.resettle(sql),
    burned: IntentReads.burned(sql),
    hasSettled: (owner, chainIds) => hasSettledTogether({ owner, chainIds }),
    settledOf: IntentReads.settledOf(sql),
    inStatus: IntentReads.inStatus(sql, unreadable),
    deliveriesDue: DeliveryLooks.due(sql, unreadable),
    fillsDue: DeliveryLooks.fillsDue(sql, unreadable),
    noteFill: DeliveryLooks.noteFill(sql),
    noteSearches: DeliveryLooks.noteSearches(sql),
    postponeDeliveries: DeliveryLooks.postpone(sql),
    counts: IntentReads.counts(sql),
    wakes: (chainId) => wakes(String(chainId))
  })
})

/** Requires the schema of `Migrated.layer`. Listens for other processes until its scope closes. */
export const layer = Layer.effect(Intents, make).pipe(Layer.provide(UnreadableIntents.layer))
