/** Accounts of builders that change while they are paid. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Address from "../../../src/domain/Address.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, CHAIN_ID, field, text } = Harness

const LISTED = FakeChain.address(0xba)

/** Runs when the next address is screened: after the batch's builders were selected, and before it is opened. */
let whileScreening: Effect.Effect<void> = Effect.void

const screening = (_chainId: number, addresses: ReadonlyArray<Address.Address>) =>
  Effect.suspend(() => {
    const change = whileScreening
    whileScreening = Effect.void
    return Effect.andThen(
      change,
      addresses.includes(LISTED) ? Effect.fail(new ScreeningBlocked({ cause: "listed" })) : Effect.void
    )
  })

const builderOwed = Effect.fnUntraced(function* (id: string, token: string, amount: string) {
  const payoutAddress = Harness.wallet().address
  yield* asAdmin("POST /admin/builders", {
    body: { id, name: id, builderBps: 0, maxBuilderBps: 0, payoutAddress, payoutMode: "ledger" }
  })
  const body = { builderId: id, sweepId: `${id}_sweep`, token, amount, chainId: CHAIN_ID }
  assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 201)
  return { builderId: id, payoutAddress, amount }
})

const open = (token: string, exclude: ReadonlyArray<string> = []) =>
  asAdmin("POST /admin/payouts", { body: { chainId: CHAIN_ID, token, exclude } })

/** No route changes a payout address; an operator can with SQL. */
const move = (id: string, to: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE builder.builders SET payout_address = ${to} WHERE id = ${id}`
  ).pipe(Effect.orDie, Effect.asVoid)

const suspend = (id: string, suspended: boolean) =>
  Effect.asVoid(asAdmin(`PATCH /admin/builders/${id}`, { body: { suspended } }))

layer(Harness.layer({ screening }), { excludeTestServices: true })("a builder whose account changes", (it) => {
  it.effect("to an address that was not screened is left out while the batch is opened, and not paid there", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x61)
      const moving = yield* builderOwed("moving", token, "7")
      const staying = yield* builderOwed("staying", token, "9")
      const context = yield* Effect.context<SqlClient.SqlClient>()
      whileScreening = Effect.provide(move("moving", LISTED), context)
      const batch = yield* open(token)
      assert.deepStrictEqual(field(batch, "lines"), [{ ...staying, entries: 1 }])
      assert.deepStrictEqual(field(batch, "leftOut"), [{ ...moving, reason: "changed" }])
      assert.deepStrictEqual((yield* open(token)).body, {
        error: "nothing_owed",
        leftOut: [{ ...moving, payoutAddress: LISTED, reason: "sanctions_listed" }]
      })
    })
  )

  it.effect("by a suspension is left out while the batch is opened", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x62)
      const late = yield* builderOwed("suspended_late", token, "7")
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof suspend>>>()
      whileScreening = Effect.provide(suspend("suspended_late", true), context)
      assert.deepStrictEqual((yield* open(token)).body, {
        error: "nothing_owed",
        leftOut: [{ ...late, reason: "changed" }]
      })
      assert.deepStrictEqual((yield* open(token)).body, {
        error: "nothing_owed",
        leftOut: [{ ...late, reason: "suspended" }]
      })
      yield* suspend("suspended_late", false)
      assert.deepStrictEqual((yield* open(token, ["suspended_late"])).body, {
        error: "nothing_owed",
        leftOut: [{ ...late, reason: "excluded" }]
      })
      assert.strictEqual(text(yield* open(token), "total"), "7")
    })
  )

  it.effect("after its batch was opened is paid as opened, and by the next batch at the new address", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x63)
      const before = yield* builderOwed("moved_later", token, "7")
      const id = text(yield* open(token), "id")
      const after = Harness.wallet().address
      yield* suspend("moved_later", true)
      yield* move("moved_later", after)
      const lines = [{ ...before, entries: 1 }]
      assert.deepStrictEqual(field(yield* asAdmin(`GET /admin/payouts/${id}`), "lines"), lines)
      const csv = yield* asAdmin(`GET /admin/payouts/${id}/csv`)
      assert.include(csv.text, before.payoutAddress)
      assert.notInclude(csv.text, after)

      yield* suspend("moved_later", false)
      const body = { builderId: "moved_later", sweepId: "later", token, amount: "2", chainId: CHAIN_ID }
      yield* asAdmin("POST /accruals", { body })
      const next = yield* open(token)
      assert.deepStrictEqual(field(next, "lines"), [
        { builderId: "moved_later", payoutAddress: after, amount: "2", entries: 1 }
      ])
      assert.deepStrictEqual(field(yield* asAdmin(`GET /admin/payouts/${id}`), "lines"), lines)
    })
  )
})
