/** Migration 8 on the books of an earlier release, and assignments of many accruals. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../../../../migrations/builder/index.ts"
import * as Ledger from "../../../../src/adapters/sql/builder/Ledger.ts"
import * as Migrations from "../../../../src/adapters/sql/shared/Migrations.ts"
import { Ledger as LedgerPort } from "../../../../src/ports/builder/Ledger.ts"
import { address } from "../../../support/FakeChain.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { freshStores } from "../../../support/BuilderStores.ts"
import { testDatabase } from "../../../support/Postgres.ts"

const TOKEN = address(0xd1)
const TX = `0x${"ab".repeat(32)}`

/** The books before the migration: accruals without a chain that are unclaimed, claimed, paid, and claimed by a failed batch. */
const earlierBooks = Effect.gen(function* () {
  const earlier = Object.entries(migrations).filter(([name]) => name < "0008")
  yield* Migrations.migrate("builder", Object.fromEntries(earlier))
  const sql = yield* PgClient.PgClient
  yield* sql`INSERT INTO builder.builders
    (id, name, builder_bps, max_builder_bps, payout_address, payout_mode, created_at)
    VALUES ('alpha', 'alpha', 0, 0, ${address(0x80)}, 'ledger', now())`
  for (const [sweepId, batch, status] of [
    ["unclaimed", undefined, undefined],
    ["claimed", "b1", "open"],
    ["paid", "b2", "paid"],
    ["released", "b3", "failed"]
  ] as const) {
    const [entry] = yield* sql<{ id: bigint }>`INSERT INTO builder.ledger_entries
      (kind, builder_id, token, earned, paid, sweep_id, created_at)
      VALUES ('accrual', 'alpha', ${TOKEN}, 5, 0, ${sweepId}, now()) RETURNING id`
    if (batch === undefined) continue
    yield* sql`INSERT INTO builder.payouts
      (id, chain_id, token, min_amount, status, tx_hash, failure_reason, created_at, closed_at)
      VALUES (${batch}, 10, ${TOKEN}, 0, ${status}, ${status === "paid" ? TX : null},
        ${status === "failed" ? "given up" : null}, now(), ${status === "open" ? null : new Date(0)})`
    yield* sql`INSERT INTO builder.payout_lines (payout_id, builder_id, payout_address, amount, entries)
      VALUES (${batch}, 'alpha', ${address(0x80)}, 5, 1)`
    yield* sql`INSERT INTO builder.payout_claims (payout_id, builder_id, entry_id, released)
      VALUES (${batch}, 'alpha', ${entry?.id ?? 0n}, ${status === "failed"})`
  }
  // The earlier release books a payment without a chain for accruals without one.
  yield* sql`INSERT INTO builder.ledger_entries
    (kind, builder_id, token, earned, paid, payout_id, tx_hash, created_at)
    VALUES ('payment', 'alpha', ${TOKEN}, 0, 5, 'b2', ${TX}, now())`
})

describe("the migration to accruals with assigned chains", () => {
  it.effect("assigns what batches claim to their chains, and conserves the books", () =>
    Effect.gen(function* () {
      yield* earlierBooks
      assert.include(yield* Migrations.migrate("builder", migrations), "0008_accrual_chains")
      const ledger = yield* LedgerPort
      assert.deepStrictEqual(yield* ledger.totals("alpha"), [
        { token: TOKEN, earned: 10n, paid: 0n, claimed: 0n },
        { chainId: 10, token: TOKEN, earned: 10n, paid: 5n, claimed: 5n }
      ])
      assert.deepStrictEqual(yield* ledger.assign(TOKEN, 10), { sweeps: 2, amount: 10n })
      assert.deepStrictEqual(yield* ledger.allTotals, [
        { chainId: 10, token: TOKEN, earned: 20n, paid: 5n, claimed: 5n }
      ])
    }).pipe(Effect.provide(Ledger.layer), Effect.provide(testDatabase))
  )
})

/** Chainless accruals: more than the locks that a transaction may take. */
const MANY = 2_500

describe("an assignment of many accruals", () => {
  it.effect("takes few locks in a transaction, and goes on where the one before ended", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* LedgerPort
      yield* sql`INSERT INTO builder.ledger_entries (kind, builder_id, token, earned, paid, sweep_id, created_at)
        SELECT 'accrual', 'alpha', ${TOKEN}, 5, 0, 's' || n, now() FROM generate_series(1, ${MANY}::integer) AS n`
      const piece = sql.withTransaction(
        Effect.gen(function* () {
          const assigned = yield* ledger.assign(TOKEN, 10)
          const [row] = yield* sql<{ locks: bigint }>`SELECT count(*) AS locks FROM pg_locks
            WHERE locktype = 'advisory' AND pid = pg_backend_pid()`
          return [assigned, Number(row?.locks)] as const
        })
      )
      for (const [sweeps, more] of [
        [1_000, true],
        [1_000, true],
        [500, undefined],
        [0, undefined]
      ] as const) {
        const [assigned, locks] = yield* piece
        assert.isAtMost(locks, 1_000)
        assert.deepStrictEqual(assigned, {
          sweeps,
          amount: BigInt(5 * sweeps),
          ...(more === undefined ? {} : { more })
        })
      }
      assert.deepStrictEqual(yield* ledger.totals("alpha"), [
        { chainId: 10, token: TOKEN, earned: BigInt(5 * MANY), paid: 0n, claimed: 0n }
      ])
      assert.deepStrictEqual(yield* sql`SELECT * FROM builder.payable_differences`, [])
      assert.deepStrictEqual(yield* sql`SELECT * FROM builder.chainless`, [])
    }).pipe(Effect.provide(freshStores))
  )
})
