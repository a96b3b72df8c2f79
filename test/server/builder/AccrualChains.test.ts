/** Accruals in the spec's four fields, which name no chain. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, CHAIN_ID, field, text, TOKEN } = Harness
const live = { excludeTestServices: true }

/** A builder with one accrual of 10 without a chain, and one of 5 with its chain. */
const earning = Effect.fnUntraced(function* (id: string, token: string) {
  const registered = yield* asAdmin("POST /admin/builders", {
    body: {
      id,
      name: id,
      builderBps: 0,
      maxBuilderBps: 0,
      payoutAddress: Harness.wallet().address,
      payoutMode: "ledger"
    }
  })
  assert.strictEqual(registered.status, 201)
  const accruals = [
    { builderId: id, sweepId: `${id}_chainless`, token, amount: "10" },
    { builderId: id, sweepId: `${id}_reported`, token, amount: "5", chainId: CHAIN_ID }
  ]
  for (const body of accruals) assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 201)
})

const rows = (id: string) =>
  Effect.map(asAdmin(`GET /admin/builders/${id}/accruals`), (answer) => {
    const totals = field(answer, "totals")
    return Array.isArray(totals)
      ? totals.map((_, n) =>
          ["chainId", "earned", "owed", "claimed", "unclaimed"].map((key) => field(answer, "totals", n, key))
        )
      : assert.fail("no totals")
  })

const open = (token: string) => asAdmin("POST /admin/payouts", { body: { chainId: CHAIN_ID, token } })

layer(Harness.layer(), live)("accruals without a chain", (it) => {
  it.effect("are shown apart and in no batch until an operator assigns them, which is on record once", () =>
    Effect.gen(function* () {
      yield* earning("alpha", TOKEN)
      const apart = [
        [undefined, "10", "10", "0", "10"],
        [CHAIN_ID, "5", "5", "0", "5"]
      ]
      assert.deepStrictEqual(yield* rows("alpha"), apart)
      const reported = yield* open(TOKEN)
      assert.strictEqual(text(reported, "total"), "5")
      assert.deepStrictEqual(yield* rows("alpha"), [...apart.slice(0, 1), [CHAIN_ID, "5", "5", "5", "0"]])

      const assign = (chainId: number) => asAdmin("POST /admin/accruals/assign", { body: { token: TOKEN, chainId } })
      assert.strictEqual((yield* assign(1)).status, 422)
      assert.deepStrictEqual((yield* assign(CHAIN_ID)).body, { sweeps: 1, amount: "10" })
      assert.deepStrictEqual((yield* assign(CHAIN_ID)).body, { sweeps: 0, amount: "0" })
      assert.deepStrictEqual(yield* rows("alpha"), [[CHAIN_ID, "15", "15", "5", "10"]])
      const records = yield* asAdmin("GET /admin/audit?limit=2")
      assert.deepInclude(field(records, "records", 0), {
        action: "accrual.assign",
        subject: TOKEN,
        details: { chainId: CHAIN_ID, sweeps: 1, amount: "10" }
      })
      assert.strictEqual(text(records, "records", 1, "action"), "payout.open")

      assert.strictEqual(text(yield* open(TOKEN), "total"), "10")
      assert.deepStrictEqual(yield* rows("alpha"), [[CHAIN_ID, "15", "15", "15", "0"]])
      const treasury = yield* asAdmin("GET /admin/treasury")
      assert.isUndefined(field(treasury, "positions", 1))
      assert.deepInclude(field(treasury, "positions", 0), { owed: "15", claimed: "15", unclaimed: "0" })
    })
  )
})

layer(Harness.layer(), live)("many accruals without a chain", (it) => {
  it.effect("are assigned in several transactions, each of which is on record", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x52)
      yield* earning("many", token)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO builder.ledger_entries (kind, builder_id, token, earned, paid, sweep_id, created_at)
        SELECT 'accrual', 'many', ${token}, 3, 0, 'many_' || n, now() FROM generate_series(1, 2499) AS n`
      let assigned = 0
      for (let more = true; more;) {
        const answer = yield* asAdmin("POST /admin/accruals/assign", { body: { token, chainId: CHAIN_ID } })
        assigned += Number(field(answer, "sweeps"))
        more = field(answer, "more") === true
      }
      assert.strictEqual(assigned, 2_500)
      assert.deepStrictEqual(yield* rows("many"), [
        [CHAIN_ID, String(15 + 3 * 2_499), String(15 + 3 * 2_499), "0", String(15 + 3 * 2_499)]
      ])
      const records = yield* asAdmin("GET /admin/audit?limit=10")
      const sweeps = [0, 1, 2].map((n) => field(records, "records", n, "details", "sweeps"))
      assert.deepStrictEqual(sweeps, [500, 1_000, 1_000])
    })
  )
})

layer(Harness.layer({ settings: { defaultChainId: CHAIN_ID } }), live)("with DEFAULT_SOURCE_CHAIN, accruals", (it) => {
  it.effect("without a chain are booked on it", () =>
    Effect.gen(function* () {
      yield* earning("alpha", FakeChain.address(0x51))
      assert.deepStrictEqual(yield* rows("alpha"), [[CHAIN_ID, "15", "15", "0", "15"]])
      assert.strictEqual(text(yield* open(FakeChain.address(0x51)), "total"), "15")
    })
  )
})
