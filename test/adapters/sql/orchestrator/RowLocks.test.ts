/** Locks of rows that another process changes at the same moment. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as LaneBookSql from "../../../../src/adapters/sql/orchestrator/LaneBook.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { LaneBook } from "../../../../src/ports/orchestrator/LaneBook.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../../support/IntentFixtures.ts"
import { besides, session } from "../../../support/LockWaits.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const LANE = address(0x1a4e)

const process = Effect.flatMap(TestDatabase, ({ url }) =>
  Layer.build(
    Layer.fresh(
      Layer.merge(stores, LaneBookSql.layer).pipe(
        Layer.provide(Database.layer({ url: Redacted.make(url), poolSize: 4 }))
      )
    )
  )
)

it.live("a lane that another process takes into use again signs no transfer of its rest", () =>
  Effect.gen(function* () {
    const book = Context.get(yield* process, LaneBook)
    const record = { actor: "test", action: "lane.empty", subject: LANE, details: {} }
    yield* book.move(LANE, "active", "draining", record)
    yield* book.move(LANE, "draining", "retired", record)
    const other = yield* session
    const withdrawn = yield* besides(
      other,
      other`UPDATE orchestrator.lane_states SET state = 'active' WHERE lane = ${LANE}`,
      book.withdraw(
        { chainId: 1, lane: LANE, nonce: 12n, recipient: address(7), amount: 1n, hash: hash("transfer"), raw: "0x04" },
        record
      )
    )
    expect(withdrawn).toEqual(Option.none())
    expect((yield* book.lastWithdrawals(LANE)).size).toBe(0)
  }).pipe(Effect.scoped, Effect.provide(migratedDatabaseUrl))
)

it.live("an intent that is given up while another process lets it go is not claimed before its time", () =>
  Effect.gen(function* () {
    const here = yield* process
    const intents = Context.get(here, Intents)
    for (const [owner, id] of ["given up", "free"].entries()) {
      yield* Effect.provide(submitted({ id, owner: owner + 1 }), here)
      yield* Context.get(here, RelayTransactions).allocate({
        chainId: 1,
        lane: LANE,
        chainNonce: 0n,
        intentIds: [id],
        sign: () => Effect.succeed(attempt(id))
      })
    }
    const other = yield* session
    yield* besides(
      other,
      Effect.andThen(
        other`UPDATE orchestrator.relay_transaction_intents SET active = false`,
        other`UPDATE orchestrator.intent_states SET relay_transaction_id = NULL`
      ),
      intents.giveUp("given up", { reason: "expired", detail: "test", notBeforeMs: Date.now() + 3_600_000 })
    )
    const claimed = yield* intents.claim({ chainId: 1, worker: "here", leaseMillis: 1_000, limit: 10 })
    expect(claimed.map(({ id }) => id)).toEqual(["free"])
  }).pipe(Effect.scoped, Effect.provide(migratedDatabaseUrl))
)

it.live("a missed nonce of a lane is used without taking back a nonce that another process allocates", () =>
  Effect.gen(function* () {
    const here = Context.get(yield* process, RelayTransactions)
    const there = Context.get(yield* process, RelayTransactions)
    const wanted = {
      chainId: 1,
      lane: LANE,
      chainNonce: 1_000n,
      intentIds: [],
      sign: (nonce: bigint) => Effect.succeed(attempt(`nonce ${nonce}`))
    }
    expect((yield* here.allocate(wanted)).nonce).toBe(1_000n)
    const other = yield* session
    const missed = yield* besides(
      other,
      other`UPDATE orchestrator.lanes SET next_nonce = next_nonce + 1 WHERE lane = ${LANE}`,
      here.allocate({ ...wanted, chainNonce: 10n, slots: 15n })
    )
    expect(missed.nonce).toBe(10n)
    expect((yield* there.allocate(wanted)).nonce).toBe(1_002n)
  }).pipe(Effect.scoped, Effect.provide(migratedDatabaseUrl))
)
