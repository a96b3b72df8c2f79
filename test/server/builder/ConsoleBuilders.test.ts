/** Builders in the console: listing, markup, reversals. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"
import { builderOwed, makeChain, owedTo } from "./consoleScene.ts"

const { asAdmin, ask, field, text } = Harness

const live = { excludeTestServices: true }

layer(Harness.layer({ node: makeChain().node }), live)("builders in the console", (it) => {
  it.effect("are listed in pages and found", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let n = 0; n < 5; n++) ids.push((yield* builderOwed(0n)).id)
      const first = yield* asAdmin("GET /admin/builders?limit=3")
      assert.deepStrictEqual(
        [0, 1, 2].map((n) => text(first, "builders", n, "id")),
        ids.slice(0, 3)
      )
      const second = yield* asAdmin(`GET /admin/builders?limit=3&cursor=${text(first, "nextCursor")}`)
      assert.strictEqual(text(second, "builders", 0, "id"), ids[3])
      assert.isUndefined(field(second, "nextCursor"))
      const address = text(first, "builders", 1, "payoutAddress").toLowerCase()
      const name = text(first, "builders", 1, "name").toUpperCase()
      for (const search of [ids[1] ?? "", name, address]) {
        const found = yield* asAdmin(`GET /admin/builders?search=${encodeURIComponent(search)}`)
        assert.strictEqual(text(found, "builders", 0, "id"), ids[1])
        assert.isUndefined(field(found, "builders", 1))
      }
      assert.deepStrictEqual((yield* asAdmin("GET /admin/builders?search=100%25")).body, { builders: [] })
      assert.strictEqual((yield* asAdmin("GET /admin/builders?limit=1000")).status, 422)
    })
  )

  it.effect("lose their sessions once they are suspended", () =>
    Effect.gen(function* () {
      const { account, cookie, id } = yield* Harness.signUp()
      const suspend = (suspended: boolean) => asAdmin(`PATCH /admin/builders/${id}`, { body: { suspended } })
      assert.strictEqual((yield* Harness.asBuilder(cookie)("GET /me")).status, 200)
      assert.strictEqual((yield* suspend(true)).status, 200)
      assert.strictEqual((yield* Harness.asBuilder(cookie)("GET /me")).status, 401)
      // Its wallet signs in again, and a second suspension or the end of it changes nothing for the new session.
      const again = yield* ask("POST /auth/verify", { body: yield* Harness.signed(account) })
      for (const suspended of [true, false]) {
        assert.strictEqual((yield* suspend(suspended)).status, 200)
        assert.strictEqual((yield* Harness.asBuilder(Harness.cookieOf(again))("GET /me")).status, 200)
      }
    })
  )

  it.effect("are patched without a change, and nothing is on record", () =>
    Effect.gen(function* () {
      const { id } = yield* builderOwed(0n)
      const patch = (body: unknown) => asAdmin(`PATCH /admin/builders/${id}`, { body })
      assert.strictEqual((yield* patch({ builderBps: 30 })).status, 200)
      for (const body of [{}, { builderBps: 30 }, { suspended: false, walletChainId: null }]) {
        const unchanged = yield* patch(body)
        assert.strictEqual(unchanged.status, 200)
        assert.strictEqual(field(unchanged, "builderBps"), 30)
      }
      const audit = yield* asAdmin("GET /admin/audit?limit=2")
      assert.deepStrictEqual(
        [0, 1].map((n) => text(audit, "records", n, "action")),
        ["builder.patch", "builder.register"]
      )
    })
  )

  it.effect("get their markup within the cap, and every change is on record", () =>
    Effect.gen(function* () {
      const { apiKey, id } = yield* builderOwed(0n)
      const patch = (body: unknown) => asAdmin(`PATCH /admin/builders/${id}`, { body })
      const raised = yield* patch({ builderBps: 50 })
      assert.strictEqual(raised.status, 200)
      assert.strictEqual(field(raised, "builderBps"), 50)
      for (const body of [{ builderBps: 51 }, { maxBuilderBps: 49 }, { builderBps: -1 }, { payoutMode: "cash" }]) {
        assert.strictEqual((yield* patch(body)).status, 422)
      }
      assert.strictEqual((yield* patch({ builderBps: 80, maxBuilderBps: 90 })).status, 200)
      const attribute = ask("POST /attribute", { headers: { "x-api-key": apiKey } })
      assert.deepInclude((yield* attribute).body, { builderBps: 80, maxBuilderBps: 90, payoutMode: "ledger" })
      assert.isNumber(field(yield* patch({ suspended: true }), "suspendedAtMs"))
      assert.strictEqual((yield* attribute).status, 404)
      assert.isUndefined(field(yield* patch({ suspended: false }), "suspendedAtMs"))
      assert.strictEqual((yield* attribute).status, 200)
      const detail = yield* asAdmin(`GET /admin/builders/${id}`)
      assert.strictEqual(text(detail, "apiKey", "prefix"), apiKey.slice(0, 12))
      assert.notInclude(detail.text, apiKey)
      const audit = yield* asAdmin("GET /admin/audit")
      assert.deepStrictEqual(
        [0, 1, 2, 3, 4].map((n) => [
          text(audit, "records", n, "actor"),
          text(audit, "records", n, "action"),
          text(audit, "records", n, "subject")
        ]),
        [
          ["admin-token", "builder.patch", id],
          ["admin-token", "builder.patch", id],
          ["admin-token", "builder.patch", id],
          ["admin-token", "builder.patch", id],
          ["admin-token", "builder.register", id]
        ]
      )
      assert.deepStrictEqual(field(audit, "records", 2, "details"), { builderBps: 80, maxBuilderBps: 90 })
      for (const request of ["GET /admin/builders/nobody", "GET /admin/builders/nobody/accruals"]) {
        assert.deepStrictEqual((yield* asAdmin(request)).body, { error: "not found" })
      }
      assert.strictEqual((yield* asAdmin("PATCH /admin/builders/nobody", { body: {} })).status, 404)
    })
  )

  it.effect("have accruals taken back, once", () =>
    Effect.gen(function* () {
      const { id } = yield* builderOwed(70n)
      const reverse = asAdmin("POST /admin/accruals/reverse", {
        body: { sweepId: `${id}_sweep`, reason: "the sweep was reorganised away" }
      })
      assert.deepStrictEqual((yield* reverse).body, { booked: "added" })
      assert.deepStrictEqual((yield* reverse).body, { booked: "already_booked" })
      assert.isUndefined(yield* owedTo(id))
      const entries = yield* asAdmin(`GET /admin/builders/${id}/entries`)
      assert.deepStrictEqual(
        [0, 1].map((n) => [text(entries, "entries", n, "kind"), text(entries, "entries", n, "earned")]),
        [
          ["accrual", "70"],
          ["reversal", "-70"]
        ]
      )
      const unknown = yield* asAdmin("POST /admin/accruals/reverse", { body: { sweepId: "never", reason: "x" } })
      assert.strictEqual(unknown.status, 404)
    })
  )
})
