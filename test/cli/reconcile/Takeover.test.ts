/** A standby that takes over may lack transactions. Their gas is booked, although the services kept running. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { reconcile, restoreOf } from "../../../src/cli/reconcile/Reconcile.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"
import { stores } from "../../support/OrchestratorStores.ts"
import { migratedDatabase } from "../../support/Postgres.ts"
import { source } from "../../support/RelayFixtures.ts"

const LANE = address(0x1a4e)

/** When the standby took over, in UNIX milliseconds. */
const TAKEOVER = 900_000

/** Nonces that the lane used. The standby lacks those from 3 to 5. */
const USED = 7n

const block = (number: bigint) => ({
  number,
  hash: hash(`block ${number}`),
  parentHash: hash(`block ${number - 1n}`),
  timestamp: number * 10n,
  baseFeePerGas: 1n,
  gasLimit: 1n
})

/** Block of the transaction of a nonce. */
const blockOf = (nonce: bigint) => 80n + nonce

const isOfLane = (account: string) => account === LANE

const chain = FakeChain.layer({
  chain: source,
  block: (number) => Effect.succeedSome(block(typeof number === "bigint" ? number : 1_000n)),
  transactionCount: (account) => Effect.succeed(isOfLane(account) ? USED : 0n),
  transactionOf: (account, nonce, lastBlock) =>
    Effect.succeed(
      isOfLane(account) && nonce < USED && blockOf(nonce) <= lastBlock
        ? Option.some(hash(`transaction ${nonce}`))
        : Option.none()
    ),
  logs: () => Effect.succeed({ logs: [] }),
  receipt: (transactionHash) => {
    const nonce = Array.from({ length: Number(USED) }, (_, index) => BigInt(index)).find(
      (each) => hash(`transaction ${each}`) === transactionHash
    )
    if (nonce === undefined) return Effect.succeedNone
    return Effect.succeedSome({
      transactionHash,
      blockNumber: blockOf(nonce),
      blockHash: block(blockOf(nonce)).hash,
      status: "success" as const,
      gasUsed: 10n ** nonce,
      effectiveGasPrice: 2n,
      logs: []
    })
  }
})

const scene = PayoutDesk.layer.pipe(
  Layer.provide(Layer.succeed(Screening, { clear: () => Effect.void })),
  Layer.provideMerge(Layer.mergeAll(stores, Stores.layer, chain, SweepContracts.layer, SecureRandom.layerWebCrypto)),
  Layer.provideMerge(migratedDatabase)
)

const allocate = (chainNonce: bigint) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: source.id,
      lane: LANE,
      chainNonce,
      intentIds: [],
      sign: (nonce) => Effect.succeed(attempt(`transaction ${nonce}`))
    })
  )

describe("a standby that took over from a database with later transactions", () => {
  it.effect("gets the gas of those that it lacked, although a service took a later nonce since", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* TestClock.setTime(TAKEOVER)
      yield* Effect.forEach([0n, 0n, 0n], allocate)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* allocate(6n)).nonce, 6n)
      yield* TestClock.adjust("5 hours")

      const restore = yield* restoreOf(TAKEOVER, false)
      assert.strictEqual(restore?.restoredToMs, TAKEOVER)
      const run = { restore: { restoredToMs: TAKEOVER, recordedAtMs: 0, ids: restore?.ids ?? [] }, dryRun: false }
      const report = yield* reconcile(run)
      assert.isTrue(report.reconciled)
      assert.deepStrictEqual(
        report.transactions.map(({ nonce, wei }) => [nonce, wei]),
        [
          [5n, 200_000n],
          [4n, 20_000n],
          [3n, 2_000n]
        ]
      )
      assert.deepStrictEqual((yield* reconcile(run)).transactions, [], "a second run finds nothing")
      const [spent] = yield* sql<{ wei: string }>`SELECT sum(wei)::text AS wei FROM orchestrator.relay_spending
        WHERE chain_id = ${source.id}`
      assert.strictEqual(spent?.wei, "222000")
    }).pipe(Effect.provide(scene))
  )
})
