/** Nonces of transfers that empty a lane, on both stores. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as LaneBookInMemory from "../../../../src/adapters/memory/orchestrator/LaneBook.ts"
import { OrchestratorState } from "../../../../src/adapters/memory/orchestrator/OrchestratorState.ts"
import * as RelayTransactionsInMemory from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import * as LaneBookSql from "../../../../src/adapters/sql/orchestrator/LaneBook.ts"
import { LaneBook } from "../../../../src/ports/orchestrator/LaneBook.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const lane = address(0x1a4e)

const inMemory = Layer.merge(LaneBookInMemory.layer, RelayTransactionsInMemory.layerNoDeps).pipe(
  Layer.provide(OrchestratorState.layer)
)

const onPostgres = LaneBookSql.layer.pipe(Layer.provideMerge(freshStores))

const cases = (adapter: string, stores: Layer.Layer<LaneBook | RelayTransactions, unknown>) =>
  describe(`a transfer that was signed and never mined, on ${adapter}`, () => {
    it.effect("lets the missed nonces below it be used, and keeps its own", () =>
      Effect.gen(function* () {
        const book = yield* LaneBook
        const transactions = yield* RelayTransactions
        const record = { actor: "test", action: "lane.empty", subject: lane, details: {} }
        const nonceOf = (chainNonce: bigint, slots?: bigint) =>
          Effect.map(
            transactions.allocate({
              chainId: 1,
              lane,
              chainNonce,
              ...(slots === undefined ? {} : { slots }),
              intentIds: [],
              sign: (nonce) => Effect.succeed(attempt(`nonce ${nonce}`))
            }),
            ({ nonce }) => Number(nonce)
          )
        assert.strictEqual(yield* nonceOf(1_000n), 1_000)
        for (const { id } of yield* transactions.unfinished(1)) yield* transactions.finalize([{ id }])
        yield* book.move(lane, "active", "draining", record)
        assert.isTrue(yield* book.move(lane, "draining", "retired", record))
        yield* book.withdraw(
          { chainId: 1, lane, nonce: 12n, recipient: address(7), amount: 1n, hash: hash("transfer"), raw: "0x04" },
          record
        )
        assert.isTrue(yield* book.move(lane, "retired", "active", record))
        assert.deepStrictEqual(
          [yield* nonceOf(10n, 15n), yield* nonceOf(10n, 15n), yield* nonceOf(10n, 15n)],
          [10, 11, 13]
        )
      }).pipe(Effect.provide(stores))
    )
  })

cases("memory", inMemory)
cases("Postgres", onPostgres)
