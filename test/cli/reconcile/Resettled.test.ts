/** A sweep that settled again after a deep reorganisation is booked once, under its first settlement. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { reconcile } from "../../../src/cli/reconcile/Reconcile.ts"
import { outboxMessages, type Settlement, sweepId } from "../../../src/domain/Accrual.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { RevenueBook } from "../../../src/ports/builder/RevenueBook.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { hash, submission } from "../../support/IntentFixtures.ts"
import { stores } from "../../support/OrchestratorStores.ts"
import { migratedDatabase } from "../../support/Postgres.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"

const [FIRST, SECOND] = [hash("first"), hash("second")]

const attributed = { builderId: "alpha", payoutMode: "ledger" } as const

const intent = offer({ id: "intent", attributed, order: { builder: source.builderVault } })

const settlement = (txHash: Hash): Settlement => ({
  sweepId: sweepId(txHash, 0),
  chainId: source.id,
  feeToken: intent.order.tokenIn,
  feeAmount: intent.order.feeAmount,
  builderFee: intent.order.builderFee,
  txHash,
  settledAtMs: 0
})

const MESSAGES = outboxMessages(settlement(FIRST), attributed)

const block = (number: bigint) => ({
  number,
  hash: hash(`block ${number}`),
  parentHash: hash(`block ${number - 1n}`),
  // The newest block is a day after the restore, so no forgotten payment is awaited.
  timestamp: number * 1_000n,
  baseFeePerGas: 1n,
  gasLimit: 1n
})

/** A chain that has the settlement in this transaction alone, after as many other logs. */
const chainWith = (transactionHash: Hash, position: number) => {
  const log = { ...sweptLog(intent), blockNumber: 50n, blockHash: block(50n).hash, transactionHash, logIndex: position }
  return FakeChain.layer({
    chain: source,
    block: (number) => Effect.succeedSome(block(typeof number === "bigint" ? number : 100n)),
    transactionCount: () => Effect.succeed(0n),
    logs: ({ address, fromBlock, toBlock }) =>
      Effect.succeed({
        logs: [address].flat().includes(log.address) && fromBlock <= 50n && toBlock >= 50n ? [log] : []
      }),
    receipt: (wanted) =>
      Effect.succeed(
        wanted === transactionHash
          ? Option.some({
              transactionHash,
              blockNumber: log.blockNumber,
              blockHash: log.blockHash,
              status: "success" as const,
              gasUsed: 1n,
              effectiveGasPrice: 1n,
              logs: [...Array.from({ length: position }, () => ({ ...log, topics: [], data: "0x" as const })), log]
            })
          : Option.none()
      )
  })
}

const sceneOf = (chain: ReturnType<typeof chainWith>) =>
  PayoutDesk.layer.pipe(
    Layer.provide(Layer.succeed(Screening, { clear: () => Effect.void })),
    Layer.provideMerge(Layer.mergeAll(stores, Stores.layer, chain, SweepContracts.layer, SecureRandom.layerWebCrypto)),
    Layer.provideMerge(migratedDatabase)
  )

type Scene = ReturnType<typeof sceneOf>

type Part = "accrual" | "revenue" | "delivered" | "settled" | "moved"

/**
 * An intent that settled in the first transaction, if it has `settled`, and then in the second one, if it has `moved`, and what the books
 * have of it.
 */
const given = Effect.fnUntraced(function* (...parts: ReadonlyArray<Part>) {
  const intents = yield* Intents
  const ledger = yield* Ledger
  const outbox = yield* Outbox
  const revenueBook = yield* RevenueBook
  yield* register
  yield* intents.create(intent)
  yield* intents.submit("intent", submission())
  for (const message of MESSAGES) {
    if (message._tag === "Accrual" && parts.includes("accrual")) yield* ledger.accrue(message.accrual)
    if (message._tag === "Revenue" && parts.includes("revenue")) yield* revenueBook.book(message.revenue)
  }
  if (!parts.includes("settled")) return
  const settles = (txHash: Hash) => [{ _tag: "SettledAtSource", txHash }] as const
  yield* intents.applyAll([{ id: "intent", events: settles(FIRST), outbox: MESSAGES }])
  if (parts.includes("delivered")) {
    for (const { id } of yield* outbox.claim({ topic: "ledger", limit: 10, leaseMillis: 1 }))
      yield* outbox.acknowledge(id)
  }
  if (parts.includes("moved")) yield* intents.resettle([{ id: "intent", events: settles(SECOND) }])
})

const run = (dryRun: boolean) =>
  Effect.map(reconcile({ restore: { restoredToMs: 0, recordedAtMs: 0, ids: [] }, dryRun }), ({ open, sweeps }) => {
    assert.deepStrictEqual(open, [])
    return sweeps.map((sweep) => sweep.sweepId)
  })

/** Reconciles dry and for good. Returns the settlements that were found, and what the books have then. */
const reconciled = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const ledger = yield* Ledger
  const dry = yield* run(true)
  const found = yield* run(false)
  assert.deepStrictEqual(dry, found)
  assert.deepStrictEqual(yield* run(false), [], "a second run finds nothing")
  const revenue = yield* sql<{ sweep_id: string }>`SELECT sweep_id FROM builder.revenue`
  const owed = (yield* ledger.totals("alpha")).map(({ earned, paid }) => earned - paid)
  return { found, revenue: revenue.map(({ sweep_id }) => sweep_id), owed }
})

const { builderFee } = intent.order

const rule = <A, E>(name: string, test: Effect.Effect<A, E, Layer.Success<Scene>>, chain = chainWith(SECOND, 0)) =>
  it.live(name, () => Effect.provide(test, Layer.fresh(sceneOf(chain))))

describe("a sweep that settled again in another transaction", () => {
  rule(
    "is not booked again",
    Effect.gen(function* () {
      yield* given("settled", "moved", "delivered", "accrual", "revenue")
      assert.deepStrictEqual(yield* reconciled, { found: [], revenue: [sweepId(FIRST, 0)], owed: [builderFee] })
    })
  )

  rule(
    "is not booked while its first bookings are on their way",
    Effect.gen(function* () {
      yield* given("settled", "moved")
      assert.deepStrictEqual(yield* reconciled, { found: [], revenue: [], owed: [] })
    })
  )

  rule(
    "is booked if the builder's books lost it",
    Effect.gen(function* () {
      yield* given("settled", "moved", "delivered")
      const id = sweepId(SECOND, 0)
      assert.deepStrictEqual(yield* reconciled, { found: [id], revenue: [id], owed: [builderFee] })
    })
  )

  rule(
    "gets the accrual alone if the books lost only that",
    Effect.gen(function* () {
      yield* given("settled", "moved", "delivered", "revenue")
      const found = { found: [sweepId(SECOND, 0)], revenue: [sweepId(FIRST, 0)], owed: [builderFee] }
      assert.deepStrictEqual(yield* reconciled, found)
    })
  )

  rule(
    "gets the accrual again if the first one was reversed",
    Effect.gen(function* () {
      yield* given("settled", "moved", "delivered", "accrual", "revenue")
      yield* (yield* Ledger).reverse(sweepId(FIRST, 0))
      const found = { found: [sweepId(SECOND, 0)], revenue: [sweepId(FIRST, 0)], owed: [builderFee] }
      assert.deepStrictEqual(yield* reconciled, found)
    })
  )

  rule(
    "is not booked beside the accrual that the operator booked after a reversal",
    Effect.gen(function* () {
      const ledger = yield* Ledger
      yield* given("settled", "moved", "delivered", "accrual", "revenue")
      yield* ledger.reverse(sweepId(FIRST, 0))
      for (const message of MESSAGES) {
        if (message._tag !== "Accrual") continue
        yield* ledger.accrue({ ...message.accrual, sweepId: `${message.accrual.sweepId}-corrected` })
      }
      assert.deepStrictEqual(yield* reconciled, { found: [], revenue: [sweepId(FIRST, 0)], owed: [builderFee] })
    })
  )

  rule(
    "is booked if the restored database does not know that it settled",
    Effect.gen(function* () {
      yield* given()
      const id = sweepId(SECOND, 0)
      assert.deepStrictEqual(yield* reconciled, { found: [id], revenue: [id], owed: [builderFee] })
    })
  )
})

describe("a sweep that settled again at another position of the same transaction", () => {
  const moved = <A, E>(name: string, test: Effect.Effect<A, E, Layer.Success<Scene>>) =>
    rule(name, test, chainWith(FIRST, 2))

  moved(
    "is not booked again",
    Effect.gen(function* () {
      yield* given("settled", "delivered", "accrual", "revenue")
      assert.deepStrictEqual(yield* reconciled, { found: [], revenue: [sweepId(FIRST, 0)], owed: [builderFee] })
    })
  )

  moved(
    "is not booked while its first bookings are on their way",
    Effect.gen(function* () {
      yield* given("settled")
      assert.deepStrictEqual(yield* reconciled, { found: [], revenue: [], owed: [] })
    })
  )

  moved(
    "is booked if the builder's books lost it",
    Effect.gen(function* () {
      yield* given("settled", "delivered")
      const id = sweepId(FIRST, 2)
      assert.deepStrictEqual(yield* reconciled, { found: [id], revenue: [id], owed: [builderFee] })
    })
  )
})
