/** A reconciliation books no revenue of the treasury's own sales. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { RevenueBook } from "../../../src/ports/builder/RevenueBook.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { minedAt, minute, reconcileNow, sceneOf } from "./scene.ts"

const recipient = source.feeRecipient

const sale = offer({ id: "sale", order: { owner: recipient, destination: recipient, builderFee: 0n } })

const sweep = offer({ id: "sweep", order: { builderFee: 0n } })

const logs = [minedAt("sale", minute(13), sweptLog(sale)), minedAt("sweep", minute(13), sweptLog(sweep))]

describe("a reconciliation", () => {
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
