/** A reconciliation books no revenue of the treasury's own sales. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { pad } from "viem"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { RevenueBook } from "../../../src/ports/builder/RevenueBook.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { type Answers, minedAt, minute, reconcileNow, sceneOf } from "./scene.ts"

const recipient = source.feeRecipient

const sale = offer({ id: "sale", order: { owner: recipient, destination: recipient, builderFee: 0n } })

const sweep = offer({ id: "sweep", order: { builderFee: 0n } })

const logs = [minedAt("sale", minute(13), sweptLog(sale)), minedAt("sweep", minute(13), sweptLog(sweep))]

/** Contracts of the chain before its fee recipient changed, and that one. */
const EARLIER = { delegate: address(0x41), guard: address(0x42), entry: address(0x43) }
const FORMER = address(0xf0)

const formerSale = offer({
  id: "former sale",
  owner: 0xf0,
  order: { owner: FORMER, destination: FORMER, builderFee: 0n, nonce: bound(EARLIER.guard, 7n) }
})

/** The present fee recipient, under contracts that pay the former one. */
const ordinary = offer({
  id: "ordinary",
  owner: 0xf1,
  order: { owner: recipient, destination: recipient, builderFee: 0n, nonce: bound(EARLIER.guard, 8n) }
})

const formerLogs = [
  minedAt("former sale", minute(13), sweptLog(formerSale, { guard: EARLIER.guard })),
  minedAt("ordinary", minute(13), sweptLog(ordinary, { guard: EARLIER.guard }))
]

const replaced: Answers = {
  chain: { ...source, earlierContracts: [EARLIER] },
  call: ({ to }) => Effect.succeed(to === EARLIER.delegate ? pad(FORMER, { size: 32 }) : "0x")
}

describe("a reconciliation", () => {
  it.effect("asks the contracts of a sale for their fee recipient, if they were replaced", () =>
    Effect.gen(function* () {
      yield* register
      yield* Restores.record(yield* PgClient.PgClient, minute(12))
      const { sweeps } = yield* reconcileNow()
      assert.deepStrictEqual(
        sweeps.map(({ sweepId }) => sweepId),
        [`${formerLogs[1]?.transactionHash}_0`]
      )
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14), formerLogs, Effect.void, replaced))))
  )

  it.effect("books the revenue of a sweep, and none of a sale of the fee recipient", () =>
    Effect.gen(function* () {
      yield* register
      yield* Restores.record(yield* PgClient.PgClient, minute(12))
      const { sweeps } = yield* reconcileNow()
      assert.deepStrictEqual(
        sweeps.map(({ sweepId }) => sweepId),
        [`${logs[1]?.transactionHash}_0`]
      )
      const lines = yield* (yield* RevenueBook).daily({ fromMs: 0, toMs: minute(24) })
      assert.deepStrictEqual(
        lines.map(({ amount }) => amount),
        [sweep.order.feeAmount]
      )
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14), logs))))
  )
})
