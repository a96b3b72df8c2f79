/** A payment of a forgotten batch is booked whole or not at all. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { SecureRandom } from "effect/crypto"
import { pad, toEventSelector, numberToHex } from "viem"
import * as Money from "../../../src/adapters/sql/builder/LostMoney.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import * as Booking from "../../../src/cli/reconcile/Booking.ts"
import * as LostPayments from "../../../src/domain/LostPayments.ts"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { migratedDatabase } from "../../support/Postgres.ts"
import { source } from "../../support/RelayFixtures.ts"

const [TOKEN, PAYEE, PAYMENT] = [address(0xa), address(0x80), hash("payment")]

const LOG = {
  address: TOKEN,
  topics: [
    toEventSelector("Transfer(address,address,uint256)"),
    pad(source.builderVault, { size: 32 }),
    pad(PAYEE, { size: 32 })
  ],
  data: numberToHex(10n, { size: 32 }),
  blockNumber: 50n,
  blockHash: hash("block 50"),
  transactionHash: PAYMENT,
  logIndex: 0
}

const receipt = (status: "success" | "reverted") => ({
  transactionHash: PAYMENT,
  blockNumber: LOG.blockNumber,
  blockHash: LOG.blockHash,
  status,
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  logs: [LOG]
})

const chain = (status: "success" | "reverted") =>
  FakeChain.layer({
    chain: source,
    block: () =>
      Effect.succeedSome({
        number: 100n,
        hash: hash("block 100"),
        parentHash: hash("block 99"),
        timestamp: 100n,
        baseFeePerGas: 1n,
        gasLimit: 1n
      }),
    receipt: () => Effect.succeedSome(receipt(status))
  })

/** An audit log whose process ends at its first entry. */
const crashingOnce = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const crashed = yield* Ref.make(false)
    return AuditLog.of({
      ...audit,
      append: (entry) =>
        Effect.flatMap(Ref.getAndSet(crashed, true), (isMended) =>
          isMended ? audit.append(entry) : Effect.die("crashed")
        )
    })
  })
)

const stores = Stores.layer.pipe(Layer.provideMerge(migratedDatabase))

const scene = (status: "success" | "reverted" = "success", audit: typeof crashingOnce | undefined = undefined) =>
  PayoutDesk.layer.pipe(
    Layer.provide(Layer.succeed(Screening, { clear: () => Effect.void })),
    Layer.provideMerge(audit === undefined ? stores : Layer.provideMerge(audit, stores)),
    Layer.provideMerge(Layer.mergeAll(chain(status), SecureRandom.layerWebCrypto))
  )

/** Two accruals that a payment pays, whose batch the books forgot. */
const given = Effect.gen(function* () {
  yield* register
  const ledger = yield* Ledger
  const accrual = { builderId: "alpha", token: TOKEN, amount: 5n, chainId: source.id }
  for (const sweepId of ["a", "b"]) yield* ledger.accrue({ ...accrual, sweepId })
})

/** Finds out what the payment paid, and books it. Returns the batches of the books. */
const run = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const payouts = yield* Payouts
  const books = {
    vaults: [source.builderVault],
    batches: yield* payouts.list({ limit: 10 }),
    owed: yield* Money.owed(sql, source.id),
    payees: [{ builderId: "alpha", payoutAddress: PAYEE }],
    explained: []
  }
  const findings = LostPayments.plan(books, LostPayments.payments([source.builderVault], [LOG]))
  return yield* Booking.payments(sql, source, findings, false)
})

const booked = Effect.gen(function* () {
  const batches = yield* (yield* Payouts).list({ limit: 10 })
  const owed = yield* Money.owed(yield* PgClient.PgClient, source.id)
  return { batches: batches.map(({ status }) => status), owed: owed.length }
})

const audited = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ action: string; subject: string }>`SELECT action, subject FROM builder.audit_log`
  return rows.map(({ action, subject }) => ({ action, subject }))
})

describe("a payment of a batch that the books forgot", () => {
  it.live("leaves no open batch behind a crash, which could be paid again, and is booked once by the next run", () =>
    Effect.gen(function* () {
      yield* given
      yield* Effect.exit(run)
      assert.deepStrictEqual(yield* booked, { batches: [], owed: 2 })

      const [first] = yield* run
      assert.deepStrictEqual([first?.row.outcome, first?.open], ["lost_batch", []])
      assert.deepStrictEqual(yield* booked, { batches: ["paid"], owed: 0 })
      assert.deepStrictEqual(yield* audited, [{ action: "payout.mark_paid", subject: first?.row.batchId ?? "" }])

      const [second] = yield* run
      assert.deepStrictEqual([second?.row.outcome, second?.row.batchId], ["booked", first?.row.batchId])
      assert.deepStrictEqual(yield* booked, { batches: ["paid"], owed: 0 })
      const [total] = yield* (yield* Ledger).totals("alpha")
      assert.deepInclude(total, { earned: 10n, paid: 10n })
    }).pipe(Effect.provide(Layer.fresh(scene("success", crashingOnce))))
  )

  it.live("opens no batch if the chain does not prove it", () =>
    Effect.gen(function* () {
      yield* given
      const [only] = yield* run
      assert.deepStrictEqual([only?.open.length, only?.open[0]?.stopsPayouts], [1, true])
      assert.include(only?.open[0]?.text, `payment ${PAYMENT} is not booked`)
      assert.isUndefined(only?.row.batchId)
      assert.deepStrictEqual(yield* booked, { batches: [], owed: 2 })
    }).pipe(Effect.provide(Layer.fresh(scene("reverted"))))
  )
})
