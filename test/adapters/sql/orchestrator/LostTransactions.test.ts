/** The first nonce that a restored database may have forgotten does not depend on what services did since. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as LostTransactions from "../../../../src/adapters/sql/orchestrator/LostTransactions.ts"
import type { Address } from "../../../../src/domain/Address.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const RESTORED_TO = 900_000

/** Takes the nonce at a moment (UNIX milliseconds). */
const used = Effect.fnUntraced(function* (chainId: number, lane: Address, nonce: bigint, atMs: number) {
  const transactions = yield* RelayTransactions
  yield* TestClock.setTime(atMs)
  yield* transactions.allocate({
    chainId,
    lane,
    chainNonce: nonce,
    intentIds: [],
    sign: (taken) => Effect.succeed(attempt(`${chainId} ${lane} ${taken}`))
  })
})

const withdrawn = Effect.fnUntraced(function* (chainId: number, lane: Address, nonce: bigint, atMs: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`INSERT INTO orchestrator.lane_withdrawals (chain_id, lane, nonce, recipient, amount, hash, raw, signed_at)
    VALUES (${chainId}, ${lane}, ${nonce}, ${lane}, 1, ${hash(`withdrawal ${lane} ${nonce}`)}, '\\x00', ${new Date(atMs)})`
})

/** First nonces of the chain's lanes that a restore may have made the database forget. */
const firstNonces = Effect.fnUntraced(function* (chainId: number, restoredToMs = RESTORED_TO) {
  const sql = yield* PgClient.PgClient
  yield* LostTransactions.keepLanes(sql, restoredToMs)
  const lanes = yield* LostTransactions.lanes(sql, restoredToMs, chainId)
  return lanes.map(({ first }) => first)
})

layer(freshStores)("the first forgotten nonce of a lane", (it) => {
  it.effect("is the next one if no service has run since the restore", () =>
    Effect.gen(function* () {
      yield* used(1, address(1), 4n, RESTORED_TO - 1)
      yield* used(1, address(1), 5n, RESTORED_TO)
      assert.deepStrictEqual(yield* firstNonces(1), [6n])
    })
  )

  it.effect("is the one after the last that was there at the restore, whatever a service took since", () =>
    Effect.gen(function* () {
      yield* used(2, address(1), 5n, RESTORED_TO)
      yield* used(2, address(1), 105n, RESTORED_TO + 1)
      yield* used(2, address(2), 7n, RESTORED_TO)
      // The same lane on another chain.
      yield* used(3, address(1), 50n, RESTORED_TO)
      assert.deepStrictEqual(yield* firstNonces(2), [6n, 8n])
    })
  )

  it.effect("comes after a withdrawal from before the restore alone", () =>
    Effect.gen(function* () {
      yield* used(4, address(1), 5n, RESTORED_TO)
      yield* withdrawn(4, address(1), 6n, RESTORED_TO)
      yield* withdrawn(4, address(1), 9n, RESTORED_TO + 1)
      yield* used(4, address(1), 12n, RESTORED_TO + 1)
      assert.deepStrictEqual(yield* firstNonces(4), [7n])
    })
  )

  it.effect("is at most the next one that the database knows", () =>
    Effect.gen(function* () {
      yield* used(5, address(1), 5n, RESTORED_TO)
      yield* withdrawn(5, address(1), 8n, RESTORED_TO)
      assert.deepStrictEqual(yield* firstNonces(5), [6n])
    })
  )

  it.effect("is 0 if the lane had no transaction at the restore", () =>
    Effect.gen(function* () {
      yield* used(6, address(1), 5n, RESTORED_TO + 1)
      assert.deepStrictEqual(yield* firstNonces(6), [0n])
    })
  )

  it.effect("stays as the first look at the restore found it", () =>
    Effect.gen(function* () {
      const restoredTo = RESTORED_TO + 100
      yield* used(7, address(1), 5n, RESTORED_TO)
      assert.deepStrictEqual(yield* firstNonces(7, restoredTo), [6n])
      yield* used(7, address(1), 6n, RESTORED_TO)
      assert.deepStrictEqual(yield* firstNonces(7, restoredTo), [6n])
    })
  )
})
