/** Accruals, revenue and balances over the machine routes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"
import { issuePaths, register } from "./machineRoutes.ts"

const { asAdmin, field, OTHER_TOKEN, signUp, text, TOKEN } = Harness

const live = { excludeTestServices: true }

const MAX = (2n ** 256n - 1n).toString()

const hash = (byte: string) => `0x${byte.repeat(32)}`

const accrue = (body: unknown) => asAdmin("POST /accruals", { body })

layer(Harness.layer(), live)("bookings over machine routes", (it) => {
  it.effect("an accrual is booked once, however often it is reported", () =>
    Effect.gen(function* () {
      const { id } = yield* register()
      const body = { builderId: id, sweepId: `${hash("11")}_0`, token: TOKEN.toLowerCase(), amount: MAX }
      const answers = yield* Effect.forEach(Array.from({ length: 30 }), () => accrue(body), {
        concurrency: "unbounded"
      })
      for (const answer of answers) {
        assert.strictEqual(answer.status, 201)
        assert.deepStrictEqual(answer.body, { ok: true })
      }
      const balances = { builderId: id, balances: [{ token: TOKEN, amount: MAX }] }
      assert.deepStrictEqual((yield* asAdmin(`GET /builders/${id}/accruals`)).body, balances)
      yield* accrue({ ...body, sweepId: `${hash("11")}_1` })
      assert.strictEqual(
        text(yield* asAdmin(`GET /builders/${id}/accruals`), "balances", 0, "amount"),
        (2n * BigInt(MAX)).toString()
      )
    })
  )

  it.effect("other content under a booked sweep is refused, changes nothing and raises an alert", () =>
    Effect.gen(function* () {
      const ledger = { payoutMode: "ledger" }
      const [one, two] = [yield* register(ledger), yield* register(ledger)]
      const body = { builderId: one.id, sweepId: `${hash("22")}_0`, token: TOKEN, amount: "5", chainId: 7 }
      assert.strictEqual((yield* accrue(body)).status, 201)
      const others = [
        { amount: "6" },
        { token: OTHER_TOKEN },
        { builderId: two.id },
        { chainId: 8 },
        { chainId: undefined },
        { paidTxHash: hash("22") }
      ]
      for (const change of others) {
        const answer = yield* accrue({ ...body, ...change })
        assert.strictEqual(answer.status, 409, JSON.stringify(change))
        assert.deepStrictEqual(answer.body, { error: "conflict" })
      }
      assert.deepStrictEqual(field(yield* asAdmin(`GET /builders/${one.id}/accruals`), "balances"), [
        { token: TOKEN, amount: "5", chainId: 7 }
      ])
      assert.deepStrictEqual(field(yield* asAdmin(`GET /builders/${two.id}/accruals`), "balances"), [])
      const alerts = (yield* (yield* Alerts).list).filter(({ details }) => details["sweepId"] === body.sweepId)
      assert.strictEqual(alerts.length, 1)
      assert.strictEqual(alerts[0]?.kind, "accrual_conflict")
    })
  )

  it.effect("a wrong accrual is corrected under another id, and its own id stays refused", () =>
    Effect.gen(function* () {
      const { id } = yield* register({ payoutMode: "ledger" })
      const sweepId = `${hash("23")}_0`
      const wrong = { builderId: id, sweepId, token: TOKEN, amount: "6", chainId: 7 }
      const right = { ...wrong, amount: "5" }
      const balances = Effect.map(asAdmin(`GET /builders/${id}/accruals`), (answer) => field(answer, "balances"))
      const alerts = Effect.map(
        Effect.flatMap(Alerts, ({ list }) => list),
        (all) => all.filter(({ details }) => details["sweepId"] === sweepId)
      )
      assert.strictEqual((yield* accrue(wrong)).status, 201)
      assert.strictEqual((yield* accrue(right)).status, 409)
      const reversal = yield* asAdmin("POST /admin/accruals/reverse", { body: { sweepId, reason: "reported wrongly" } })
      assert.strictEqual(reversal.status, 200)
      assert.deepStrictEqual(yield* alerts, [])
      // The outbox offers the right one again, and a late report of the wrong one may come: neither is owed.
      for (const body of [right, wrong]) {
        const answer = yield* accrue(body)
        assert.strictEqual(answer.status, 409)
        assert.deepStrictEqual(answer.body, { error: "conflict" })
      }
      assert.deepStrictEqual(yield* balances, [])
      const [alert] = yield* alerts
      assert.include(alert?.message, "under the sweep id with -corrected after it")
      const corrected = { ...right, sweepId: `${sweepId}-corrected` }
      for (let times = 0; times < 2; times++) assert.strictEqual((yield* accrue(corrected)).status, 201)
      assert.deepStrictEqual(yield* balances, [{ token: TOKEN, amount: "5", chainId: 7 }])
      const byId = yield* asAdmin("POST /admin/alerts/clear", { body: { key: alert?.id } })
      assert.deepStrictEqual([byId.status, byId.body], [404, { error: "not found" }])
      assert.lengthOf(yield* alerts, 1)
      const cleared = yield* asAdmin("POST /admin/alerts/clear", { body: { key: `accrual_conflict:${sweepId}` } })
      assert.strictEqual(cleared.status, 200)
      assert.deepStrictEqual(yield* alerts, [])
    })
  )

  it.effect("an accrual's problems are all named", () =>
    Effect.gen(function* () {
      const { id } = yield* register()
      const empty = yield* accrue({})
      assert.strictEqual(empty.status, 422)
      assert.sameMembers([...issuePaths(empty)], ["builderId", "sweepId", "token", "amount"])
      const body = { builderId: id, sweepId: `${hash("33")}_0`, token: TOKEN, amount: "5" }
      const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
        ["builderId", { builderId: "nobody" }],
        ["sweepId", { sweepId: "" }],
        ["sweepId", { sweepId: "a b" }],
        ["token", { token: "0x" }],
        ["amount", { amount: 5 }],
        ["amount", { amount: "-5" }],
        ["amount", { amount: "0x5" }],
        ["amount", { amount: "1.5" }],
        ["amount", { amount: (2n ** 256n).toString() }],
        ["chainId", { chainId: 0 }],
        ["paidTxHash", { paidTxHash: "0x12" }]
      ]
      for (const [path, changes] of wrong) {
        const answer = yield* accrue({ ...body, ...changes })
        assert.strictEqual(answer.status, 422, JSON.stringify(changes))
        assert.deepStrictEqual(issuePaths(answer), [path])
      }
      assert.deepStrictEqual(field(yield* asAdmin(`GET /builders/${id}/accruals`), "balances"), [])
    })
  )

  it.effect("an accrual without its payment is owed, and an alert says so where sweeps pay the builder", () =>
    Effect.gen(function* () {
      const [onchain, ledger] = [yield* register({ payoutMode: null }), yield* register({ payoutMode: "ledger" })]
      const ids = new Set([onchain.id, ledger.id])
      const all = Effect.flatMap(Alerts, ({ list }) => list)
      const standing = Effect.map(all, (alerts) =>
        alerts
          .filter(({ details, kind }) => kind === "accrual_unpaid" && ids.has(String(details["builderId"])))
          .map(({ details, severity }) => [severity, details["builderId"], details["sweepId"]])
      )
      const report = (builderId: string, sweepId: string, changes: object = {}) =>
        Effect.map(accrue({ builderId, sweepId, token: TOKEN, amount: "5", ...changes }), ({ status }) => status)
      const balances = (id: string) =>
        Effect.map(asAdmin(`GET /builders/${id}/accruals`), (answer) => field(answer, "balances"))
      const clear = asAdmin("POST /admin/alerts/clear", { body: { key: `accrual_unpaid:${onchain.id}` } })

      assert.strictEqual(yield* report(ledger.id, `${hash("24")}_0`), 201)
      assert.strictEqual(yield* report(onchain.id, `${hash("24")}_1`, { paidTxHash: hash("24") }), 201)
      assert.strictEqual(yield* report(onchain.id, `${hash("24")}_2`, { amount: "0" }), 201)
      assert.deepStrictEqual(yield* standing, [])
      const unpaid = `${hash("24")}_3`
      assert.strictEqual(yield* report(onchain.id, unpaid, { paidTxHash: null, chainId: null }), 201)
      assert.deepStrictEqual(yield* standing, [["warning", onchain.id, unpaid]])
      assert.deepStrictEqual(yield* balances(onchain.id), [{ token: TOKEN, amount: "5" }])
      assert.deepStrictEqual(yield* balances(ledger.id), [{ token: TOKEN, amount: "5" }])
      assert.strictEqual((yield* clear).status, 200)
      // A repeated report raises it again, until payouts are what pays the builder.
      assert.strictEqual(yield* report(onchain.id, unpaid), 201)
      assert.lengthOf(yield* standing, 1)
      // The sweep was quoted in the other mode, and paid the vault.
      assert.strictEqual((yield* clear).status, 200)
      assert.strictEqual(yield* report(onchain.id, `${hash("24")}_4`, { payoutMode: "ledger" }), 201)
      assert.deepStrictEqual(yield* standing, [])
      assert.strictEqual(yield* report(onchain.id, unpaid), 201)
      yield* asAdmin(`PATCH /admin/builders/${onchain.id}`, { body: { payoutMode: "ledger" } })
      assert.strictEqual((yield* clear).status, 200)
      assert.strictEqual(yield* report(onchain.id, unpaid), 201)
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("accruals that sweeps paid themselves are earned and never owed", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const booking = { builderId: id, token: TOKEN, chainId: FakeChain.chain.id }
      yield* accrue({ ...booking, sweepId: "paid_0", amount: "40", paidTxHash: hash("44") })
      yield* accrue({ ...booking, sweepId: "owed_0", amount: "2" })
      yield* accrue({ builderId: id, token: OTHER_TOKEN, sweepId: "owed_1", amount: "0" })
      const builder = Harness.asBuilder(cookie)
      assert.deepStrictEqual((yield* builder("GET /me/accruals")).body, {
        balances: [{ token: TOKEN, amount: "2", chainId: FakeChain.chain.id }],
        lifetime: [{ token: TOKEN, amount: "42", chainId: FakeChain.chain.id }],
        paid: [{ token: TOKEN, amount: "40", chainId: FakeChain.chain.id }]
      })
      const activity = yield* builder("GET /me/activity")
      assert.strictEqual(activity.status, 200)
      const entries = field(activity, "entries")
      assert.isArray(entries)
      assert.deepStrictEqual(
        [0, 1, 2].map((row) => [text(activity, "entries", row, "sweepId"), field(activity, "entries", row, "paid")]),
        [
          ["owed_1", false],
          ["owed_0", false],
          ["paid_0", true]
        ]
      )
      assert.isNumber(field(activity, "entries", 0, "createdAtMs"))

      const first = yield* builder("GET /me/activity?limit=2")
      assert.strictEqual(text(first, "entries", 1, "sweepId"), "owed_0")
      const rest = yield* builder(`GET /me/activity?limit=2&cursor=${text(first, "nextCursor")}`)
      assert.strictEqual(text(rest, "entries", 0, "sweepId"), "paid_0")
      assert.isUndefined(field(rest, "nextCursor"))
      assert.strictEqual((yield* builder("GET /me/activity?limit=0")).status, 422)
    })
  )

  it.effect("revenue is booked once, and never differently", () =>
    Effect.gen(function* () {
      const body = {
        sweepId: `${hash("55")}_0`,
        chainId: 1,
        token: TOKEN,
        amount: "10",
        txHash: hash("55"),
        settledAtMs: Date.now()
      }
      for (let times = 0; times < 2; times++) {
        const answer = yield* asAdmin("POST /revenue", { body })
        assert.strictEqual(answer.status, 201)
        assert.deepStrictEqual(answer.body, { ok: true })
      }
      const other = yield* asAdmin("POST /revenue", { body: { ...body, amount: "11" } })
      assert.strictEqual(other.status, 409)
      assert.deepStrictEqual(other.body, { error: "conflict" })
      const empty = yield* asAdmin("POST /revenue", { body: {} })
      assert.strictEqual(empty.status, 422)
      assert.sameMembers([...issuePaths(empty)], ["sweepId", "chainId", "token", "amount", "txHash", "settledAtMs"])
      yield* asAdmin("POST /revenue", { body: { ...body, sweepId: `${hash("55")}_1`, amount: MAX } })
      const view = yield* asAdmin("GET /admin/revenue")
      assert.deepStrictEqual(field(view, "days", 0), {
        day: new Date(body.settledAtMs).toISOString().slice(0, 10),
        chainId: 1,
        token: TOKEN,
        amount: (BigInt(MAX) + 10n).toString(),
        sweeps: 2
      })
      const before = yield* asAdmin(`GET /admin/revenue?toMs=${body.settledAtMs}`)
      assert.deepStrictEqual(before.body, { days: [] })
    })
  )

  it.effect("revenue of many sweeps is booked at once, each as by itself", () =>
    Effect.gen(function* () {
      const line = (index: number, amount = "10") => ({
        sweepId: `${hash("66")}_${index}`,
        chainId: 1,
        token: TOKEN,
        amount,
        txHash: hash("66"),
        settledAtMs: 1_700_000_000_000
      })
      const first = line(0)
      yield* asAdmin("POST /revenue", { body: first })
      const entries = [first, line(1, MAX), line(2)]
      for (let times = 0; times < 2; times++) {
        const answer = yield* asAdmin("POST /revenue/batch", { body: { entries } })
        assert.strictEqual(answer.status, 201)
        assert.deepStrictEqual(answer.body, { ok: true, booked: entries.map(({ sweepId }) => sweepId) })
      }
      const altered = { ...first, amount: "11" }
      const mixed = yield* asAdmin("POST /revenue/batch", { body: { entries: [altered, line(3)] } })
      assert.deepStrictEqual(mixed.body, { ok: true, booked: [line(3).sweepId] })
      assert.strictEqual((yield* asAdmin("POST /revenue", { body: altered })).status, 409)
      for (const wrong of [
        {},
        { entries: [] },
        { entries: [{}] },
        { entries: [first, altered] },
        { entries: Array(101).fill(first) }
      ]) {
        assert.strictEqual((yield* asAdmin("POST /revenue/batch", { body: wrong })).status, 422)
      }
    })
  )

  it.effect("balances of an unknown builder are none", () =>
    Effect.gen(function* () {
      const answer = yield* asAdmin("GET /builders/nobody/accruals")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, { builderId: "nobody", balances: [] })
    })
  )
})
