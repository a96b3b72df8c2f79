import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const { ask, signed, signUp } = Harness

layer(Harness.layer(), { excludeTestServices: true })("signing in", (it) => {
  it.effect("a new wallet signs up, is signed in, and signs in again", () =>
    Effect.gen(function* () {
      const { account, answer, cookie, id } = yield* signUp("Ann's wallet")
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(id, `bld_${account.address.slice(2).toLowerCase()}`)
      assert.match(Harness.text(answer, "apiKey"), /^swp_[0-9a-f]{64}$/)
      const setCookie = answer.headers.get("set-cookie") ?? ""
      assert.match(setCookie, /^sweep_session=[0-9a-f]{64};/)
      for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Expires="]) {
        assert.include(setCookie, attribute)
      }
      const me = yield* Harness.asBuilder(cookie)("GET /me")
      assert.strictEqual(me.status, 200)
      assert.deepStrictEqual(me.body, Harness.field(answer, "builder"))
      assert.deepStrictEqual(Object.keys(Object(me.body)).sort(), [
        "builderBps",
        "createdAtMs",
        "id",
        "maxBuilderBps",
        "name",
        "payoutAddress"
      ])
      assert.strictEqual(Harness.field(me, "builderBps"), 0)

      const again = yield* ask("POST /auth/verify", { body: yield* signed(account), headers: { cookie } })
      assert.strictEqual(again.status, 200)
      assert.deepStrictEqual(Object.keys(Object(Harness.field(again, "builder"))).sort(), [
        "builderBps",
        "id",
        "maxBuilderBps",
        "name",
        "payoutAddress"
      ])
      assert.strictEqual((yield* Harness.asBuilder(cookie)("GET /me")).status, 401)
      const fresh = Harness.asBuilder(Harness.cookieOf(again))
      assert.strictEqual((yield* fresh("GET /me")).status, 200)
      const out = yield* fresh("POST /auth/logout")
      assert.deepStrictEqual(out.body, { ok: true })
      assert.match(out.headers.get("set-cookie") ?? "", /^sweep_session=;.*Max-Age=0/)
      assert.strictEqual((yield* fresh("GET /me")).status, 401)
    })
  )
})
