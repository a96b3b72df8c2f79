/** Every answer of the routes about collected fees. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { NoPlan } from "../../../src/orchestrator/treasury/SafePlan.ts"
import { CannotSell, type Treasury } from "../../../src/orchestrator/treasury/Treasury.ts"
import { expectAnswer, expectError, storeDown } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { moneyView, OWNER, treasuryView } from "./Fixtures.ts"

const TOKEN = "operator-token"
const asOperator = { headers: { authorization: `Bearer ${TOKEN}` } }
const withOperator = { adminToken: Redacted.make(TOKEN) }

const ROUTES = [
  ["GET", "/admin/treasury"],
  ["GET", "/admin/money"],
  ["GET", "/admin/treasury/plan?chainId=8453"],
  ["POST", "/admin/treasury/sales"]
] as const

const working: Treasury["Service"] = {
  view: Effect.succeed(treasuryView),
  money: (days) => Effect.succeed({ ...moneyView, days }),
  safePlan: () =>
    Effect.succeed({
      batch: { meta: { name: "Sale of collected fees" } },
      leftOut: [{ token: OWNER, reason: "no_route", detail: "no pool" }]
    }),
  sell: Effect.succeed({ opened: treasuryView.sales })
}

const [entry, sale] = [treasuryView.entries[0], treasuryView.sales[0]]

describe("routes about collected fees", () => {
  it.effect("200 with amounts as decimal strings", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ treasury: working }, withOperator)
      const sold = { ...sale, amount: "7", rest: "0" }
      expectAnswer(yield* call("/admin/treasury", asOperator), 200, {
        ...treasuryView,
        entries: [
          {
            ...entry,
            collected: String(2n ** 256n),
            sold: "5",
            proceeds: [{ token: entry?.proceeds[0]?.token, amount: String(2n ** 255n) }],
            arrived: "0",
            held: "7",
            lost: "0",
            unexplained: "-1",
            sell: "7"
          }
        ],
        sales: [sold]
      })
      expectAnswer(yield* call("/admin/treasury/plan?chainId=8453", asOperator), 200, {
        batch: { meta: { name: "Sale of collected fees" } },
        leftOut: [{ token: sale?.token, reason: "no_route", detail: "no pool" }]
      })
      expectAnswer(yield* call("/admin/treasury/sales", { method: "POST", ...asOperator }), 200, { opened: [sold] })
    })
  )

  it.effect("200 with earnings and costs of 30 days, or of the days that are asked for", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ treasury: working }, withOperator)
      const view = {
        ...moneyView,
        chains: moneyView.chains.map((line) => ({ ...line, unpricedWei: String(2n ** 70n) }))
      }
      expectAnswer(yield* call("/admin/money", asOperator), 200, { ...view, days: 30 })
      expectAnswer(yield* call("/admin/money?days=90", asOperator), 200, { ...view, days: 90 })
      assert.strictEqual((yield* call("/admin/money?days=91", asOperator)).status, 422)
    })
  )

  it.effect("401 without the token", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      for (const [method, path] of ROUTES) expectError(yield* call(path, { method }), 401, "unauthorized")
    })
  )

  it.effect("404, 409 and 503 if the chain cannot be planned", () =>
    Effect.gen(function* () {
      const plan = (reason: NoPlan["reason"]) =>
        Effect.gen(function* () {
          const safePlan = () => Effect.fail(new NoPlan({ reason }))
          const { call } = yield* serve({ treasury: { ...working, safePlan } }, withOperator)
          return yield* call("/admin/treasury/plan?chainId=8453", asOperator)
        })
      expectError(yield* plan("unknown_chain"), 404, "not found")
      expectError(yield* plan("unavailable"), 503, "chain unavailable")
      expectAnswer(yield* plan("no_asset"), 409, { error: "treasury_not_configured", missing: ["TREASURY_ASSETS"] })
      expectAnswer(yield* plan("shared_vault"), 409, { error: "treasury_not_configured", missing: ["builderVault"] })
    })
  )

  it.effect("409 if the service cannot sell", () =>
    Effect.gen(function* () {
      const sell = Effect.fail(new CannotSell({ missing: ["FEE_RECIPIENT_KEY"] }))
      const { call } = yield* serve({ treasury: { ...working, sell } }, withOperator)
      expectAnswer(yield* call("/admin/treasury/sales", { method: "POST", ...asOperator }), 409, {
        error: "treasury_not_configured",
        missing: ["FEE_RECIPIENT_KEY"]
      })
    })
  )

  it.effect("503 while the database is down", () =>
    Effect.gen(function* () {
      const down = {
        view: storeDown,
        money: () => storeDown,
        safePlan: () => storeDown,
        sell: storeDown
      }
      const { call } = yield* serve({ treasury: down }, withOperator)
      for (const [method, path] of ROUTES) {
        expectError(yield* call(path, { method, ...asOperator }), 503, "internal error")
      }
    })
  )
})
