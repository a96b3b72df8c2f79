/** Statements of the orchestrator read by their indexes, with any number of sweeps behind them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as HeldIntentsSql from "../../../../src/adapters/sql/orchestrator/HeldIntents.ts"
import * as Idempotency from "../../../../src/adapters/sql/orchestrator/Idempotency.ts"
import * as KeptDataSql from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import * as SweepRecordsSql from "../../../../src/adapters/sql/orchestrator/SweepRecords.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { HeldIntents } from "../../../../src/ports/orchestrator/HeldIntents.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../../../src/ports/orchestrator/KeptData.ts"
import { Outbox } from "../../../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { SweepRecords } from "../../../../src/ports/orchestrator/SweepRecords.ts"
import { address, attempt, hash, newIntent, submission } from "../../../support/IntentFixtures.ts"
import { fill, TRANSACTIONS } from "../../../support/LargeTables.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { reads, WAITING } from "../../../support/TableReads.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

/** Two connections: one listens, the other runs every statement and so has all of its statistics. */
const oneConnection = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    Layer.mergeAll(HeldIntentsSql.layer, Idempotency.layer, KeptDataSql.layer, SweepRecordsSql.layer).pipe(
      Layer.provideMerge(stores),
      Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 }))
    )
  )
).pipe(Layer.provide(migratedDatabaseUrl))

const filled = Layer.effectDiscard(Effect.scoped(Effect.flatMap(Database.unlimited, fill))).pipe(
  Layer.provide(Reactivity.layer),
  Layer.provideMerge(oneConnection)
)

layer(filled, { timeout: 240_000, excludeTestServices: true })("with many sweeps behind them", (it) => {
  const test = <A, E>(
    name: string,
    index: string,
    atMost: number,
    effect: Effect.Effect<A, E, HeldIntents | Intents | KeptData | Outbox | RelayTransactions | SweepRecords>,
    mayScan: ReadonlyArray<string> = []
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const read = yield* reads(effect)
        assert.deepStrictEqual(
          read.scanned.filter((table) => !mayScan.includes(table)),
          []
        )
        assert.include(read.indexes, index)
        assert.isAtMost(read.rows, atMost)
      })
    )

  const intents = <A, E, R>(use: (service: Intents["Service"]) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(Intents, use)
  const transactions = <A, E, R>(use: (service: RelayTransactions["Service"]) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(RelayTransactions, use)
  const kept = <A, E, R>(use: (service: KeptData["Service"]) => Effect.Effect<A, E, R>) => Effect.flatMap(KeptData, use)

  test(
    "claims read the queue",
    "intent_queue_fresh",
    2_000,
    intents(({ claim }) => claim({ chainId: 1, worker: "w", leaseMillis: 1, limit: 50 }))
  )
  test(
    "claims of what was never put off read the queue",
    "intent_queue_fresh",
    2_000,
    intents(({ claim }) => claim({ chainId: 1, worker: "w", leaseMillis: 1, limit: 50, order: "fresh" }))
  )
  test(
    "overdue intents are found by their deadlines",
    "intent_queue_deadline",
    400,
    intents(({ overdue }) => overdue(1, 10n ** 9n, 50))
  )
  test(
    "due deliveries are found by their times",
    "intent_deliveries_due",
    400,
    intents(({ deliveriesDue }) => deliveriesDue(1, 7, 50))
  )
  test(
    "deliveries without a transaction are found by their times",
    "intent_deliveries_due",
    10,
    intents(({ fillsDue }) => fillsDue(1, 7, 50))
  )
  test(
    "an intent is found by its id",
    "intent_states_pkey",
    10,
    intents(({ find }) => find("i77"))
  )
  test(
    "intents are found by their ids",
    "intent_states_pkey",
    20,
    intents(({ findAll }) => findAll(["i7", "i8", "i9"]))
  )
  test(
    "states are found by their ids",
    "intent_states_pkey",
    20,
    intents(({ states }) => states(["i7", "i8", "i9"]))
  )
  test(
    "quotes are found by the ids of their intents",
    "intent_states_pkey",
    20,
    intents(({ quotes }) => quotes(["i7", "i8", "i9"]))
  )
  test(
    "burned sweeps are found by their accounts and builders",
    "intent_states_burned_by_owner",
    300,
    intents(({ burned }) =>
      burned({ chainId: 1, owners: [address(5)], builders: ["bld1"], sinceMs: Date.now() - 3_600_000 })
    )
  )
  test(
    "numbers by status are kept",
    "intent_states_pkey",
    30,
    intents(({ counts, find }) => Effect.andThen(counts, find("i1")))
  )
  test(
    "stuck intents are found among the unfinished",
    "intent_states_pkey",
    20_000,
    Effect.flatMap(HeldIntents, ({ stuck }) => stuck({ beforeMs: Date.now(), limit: 50 })),
    WAITING
  )
  const records = <A, E, R>(use: (service: SweepRecords["Service"]) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(SweepRecords, use)
  test(
    "the record of a sweep is found by keys",
    "relay_transaction_intents_former",
    100,
    records(({ of }) => of("i77"))
  )
  test(
    "sweeps are found by their owner",
    "intent_states_order_nonce_key",
    50,
    records(({ ofOwner }) => ofOwner(address(77), [1, 2], 10))
  )
  test(
    "sweeps are found by a transaction",
    "relay_attempts_pkey",
    100,
    records(({ ofTransaction }) => ofTransaction(hash("newer"), [1, 2], 10))
  )
  test(
    "a held intent is found by its id",
    "intent_states_pkey",
    50,
    Effect.flatMap(HeldIntents, ({ find }) => find("i77"))
  )
  test(
    "a sweep goes from its quote to its delivery by keys",
    "intent_states_pkey",
    3_000,
    Effect.gen(function* () {
      const store = yield* Intents
      const relay = yield* RelayTransactions
      yield* store.create(newIntent({ id: "new", owner: 77_777, builderId: "bld1" }))
      yield* store.submit("new", submission())
      const { id } = yield* relay.allocate({
        chainId: 1,
        lane: address(0x1a4e),
        chainNonce: 0n,
        intentIds: ["new"],
        sign: () => Effect.succeed(attempt("new"))
      })
      yield* relay.addAttempt(id, attempt("newer"), "sweep")
      yield* relay.markBroadcast(hash("newer"))
      yield* store.applyAll([{ id: "new", events: [{ _tag: "SettledAtSource", txHash: hash("newer") }] }])
      yield* relay.finalize([{ id }])
      yield* store.postponeDeliveries([{ id: "new", lookAtMs: 0 }])
      yield* store.apply("new", [{ _tag: "Delivered", txHash: hash("delivery") }])
    })
  )
  test(
    "unfinished transactions are found without the final ones",
    "relay_transactions_unfinished",
    3_000,
    transactions(({ unfinished }) => unfinished(1))
  )
  test(
    "final transactions are found by their blocks",
    "relay_transactions_final_by_block",
    200,
    transactions(({ finalFrom }) => finalFrom(1, BigInt(TRANSACTIONS - 50)))
  )
  test(
    "spending is summed up over the unfinished",
    "relay_transactions_unfinished",
    200,
    transactions(({ spending }) => spending(1, Date.now() - 86_400_000))
  )
  test(
    "the highest nonce of a lane is found by the index of its nonces",
    "relay_transactions_nonce_key",
    5,
    transactions(({ nextNonce }) => nextNonce(1, address(0x1a4e)))
  )
  test(
    "transactions that ended without a block are found without the others",
    "relay_transactions_displaced",
    5,
    transactions(({ displaced }) => displaced(1, Date.now() - 86_400_000))
  )
  test(
    "messages are claimed by their due times and acknowledged by their ids",
    "outbox_due_of_topic",
    1_000,
    Effect.gen(function* () {
      const { acknowledge, claim } = yield* Outbox
      const claimed = yield* claim({ topic: "ledger", limit: 20, leaseMillis: 1_000 })
      assert.lengthOf(claimed, 20)
      for (const { id } of claimed) yield* acknowledge(id)
    })
  )
  test(
    "messages are counted while they wait",
    "outbox_due_of_topic",
    2_000,
    Effect.flatMap(Outbox, ({ counts }) => counts)
  )
  test(
    "old quotes are found by their age",
    "open_quotes_pkey",
    1_000,
    kept(({ prune }) => prune("quotes", Date.now(), 100))
  )
  test(
    "delivered messages are found by their age",
    "outbox_delivered",
    1_000,
    kept(({ prune }) => prune("messages", Date.now(), 100))
  )
  test(
    "rejected events are the first of their index",
    "outbox_rejected",
    1_000,
    kept(({ prune }) => prune("rejections", Date.now(), 100))
  )
  test(
    "searches that are given up are found by their age",
    "intent_deliveries_delivered",
    1_000,
    kept(({ prune }) => prune("fills", Date.now(), 100))
  )
  test(
    "old attempts are the first of their index",
    "relay_attempts_transaction",
    1_000,
    kept(({ prune }) => prune("attempts", Date.now(), 100))
  )
  test(
    "attempts of unfinished transactions are known by the index of these",
    "relay_transactions_unfinished",
    1_000,
    kept(({ prune }) => prune("attempts", Date.now(), 100))
  )
  test(
    "attempts that are young are not searched",
    "relay_attempts_transaction",
    1_000,
    kept(({ prune }) => prune("attempts", 0, 100))
  )
  test(
    "old events are the first of their key",
    "intent_history_number_idx",
    1_000,
    kept(({ prune }) => prune("events", Date.now(), 100))
  )
  test(
    "events that are young are not searched",
    "intent_history_number_idx",
    1_000,
    kept(({ prune }) => prune("events", 0, 100))
  )
})
