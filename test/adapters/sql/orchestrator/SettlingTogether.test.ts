/** Cost of statements about many sweeps of a transaction, with plans that were made while nothing waited. */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../../support/IntentFixtures.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"
import { reads } from "../../../support/TableReads.ts"

const TRANSACTIONS = 4
const SWEEPS = 50

/** Rows and index entries that a sweep may take on average: its state, its terms, its links and what waits for it. */
const ENOUGH = 30

/** The same when a sweep gets another hash, or leaves its transaction. */
const FEW = 10

/** Runs after which PostgreSQL has kept a plan. */
const ROUNDS = 8

/** Two connections: one listens, the other runs every statement and so has all of their plans. */
const oneConnection = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    stores.pipe(Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 })))
  )
).pipe(Layer.provide(migratedDatabaseUrl))

/** Transactions that carry new sweeps of as many owners. */
const carried = Effect.fnUntraced(function* (name: string, transactions: number, sweeps: number, firstOwner: number) {
  const store = yield* RelayTransactions
  return yield* Effect.forEach(Array.from({ length: transactions }).keys(), (at) =>
    Effect.gen(function* () {
      const numbers = Array.from({ length: sweeps }, (_, n) => at * sweeps + n)
      const ids = numbers.map((n) => `${name}-${n}`)
      yield* Effect.forEach(numbers, (n) => submitted({ id: `${name}-${n}`, owner: firstOwner + n }), {
        concurrency: "unbounded"
      })
      const { id } = yield* store.allocate({
        chainId: 1,
        lane: address(0x1a4e),
        chainNonce: 0n,
        intentIds: ids,
        sign: (nonce) => Effect.succeed(attempt(`${name} ${nonce}`))
      })
      return { id, ids }
    })
  )
})

type Carried = Effect.Success<ReturnType<typeof carried>>

const txHash = hash("settled")

const delivered = (all: Carried) =>
  Effect.flatMap(Intents, (intents) =>
    intents.applyAll(
      all.flatMap(({ ids }) =>
        ids.map((id) => ({
          id,
          events: [
            { _tag: "SettledAtSource", txHash },
            { _tag: "Delivered", txHash }
          ]
        }))
      )
    )
  )

/** Ends the transactions with what each sweep cost. */
const ended = (all: Carried) =>
  Effect.flatMap(RelayTransactions, (store) =>
    store.finalize(
      all.map(({ id, ids }) => ({
        id,
        cost: 1_000n,
        nativeUsd: 2n * 10n ** 18n,
        inclusion: { hash: txHash, blockNumber: 1n, blockHash: hash("block") },
        parts: ids.map((intentId) => ({ intentId, cost: 20n, isSettled: true }))
      }))
    )
  )

/** Settles the sweeps of all transactions, and ends these. */
const settled = (all: Carried) => Effect.andThen(delivered(all), ended(all))

it.live("each sweep takes a few rows, however many end together", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (let round = 0; round < ROUNDS; round++) yield* settled(yield* carried(`early${round}`, 1, 2, 10 * round + 1))
    yield* sql`VACUUM ANALYZE`
    for (let round = 0; round < ROUNDS; round++)
      yield* settled(yield* carried(`late${round}`, 1, 2, 1_000 + 10 * round))
    const many = yield* carried("many", TRANSACTIONS, SWEEPS, 10_000)
    const { rows } = yield* reads(settled(many))
    assert.isAtLeast(rows, TRANSACTIONS * SWEEPS)
    assert.isBelow(rows, ENOUGH * TRANSACTIONS * SWEEPS)
  }).pipe(Effect.provide(oneConnection), Effect.scoped)
)

const attempted = (all: Carried) =>
  Effect.flatMap(RelayTransactions, (store) =>
    Effect.forEach(all, ({ id }) => store.addAttempt(id, attempt(`again ${id}`), "sweep"), { discard: true })
  )

const detached = (all: Carried) =>
  Effect.flatMap(RelayTransactions, (store) =>
    Effect.forEach(all, ({ id, ids }) => store.detach(id, ids), { discard: true })
  )

const nothing = (_all: Carried) => Effect.void

/**
 * `early`: transactions that the database has when the plans are made. All of their sweeps have ended. With one of them, the planner expects
 * that a transaction has all the links.
 */
it.live.each([
  { name: "addAttempt", prepare: nothing, run: attempted, limit: FEW, early: 8 },
  { name: "detach", prepare: nothing, run: detached, limit: FEW, early: 1 },
  { name: "finalize", prepare: delivered, run: ended, limit: ENOUGH, early: 8 }
])("$name reads none of the sweeps that wait, which the statistics do not show", ({ early, limit, prepare, run }) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const known = yield* carried("early", early, SWEEPS, 1)
    yield* sql`VACUUM ANALYZE orchestrator.relay_transaction_intents`
    yield* settled(known)
    yield* sql`VACUUM ANALYZE orchestrator.intent_states`
    for (let round = 0; round < ROUNDS; round++) yield* run(known)
    const enough = limit * TRANSACTIONS * SWEEPS
    // To read each of them once is too much.
    const numbers = Array.from({ length: enough }).keys()
    yield* Effect.forEach(numbers, (n) => submitted({ id: `waiting-${n}`, owner: 20_000 + n }), {
      concurrency: "unbounded"
    })
    const many = yield* carried("many", TRANSACTIONS, SWEEPS, 10_000)
    yield* prepare(many)
    const { rows } = yield* reads(run(many))
    assert.isAtLeast(rows, TRANSACTIONS * SWEEPS)
    assert.isBelow(rows, enough)
  }).pipe(Effect.provide(oneConnection), Effect.scoped)
)
