/** Several API keys of a builder: created, scoped, used, revoked and replaced. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ReadKeyOnly } from "../../../src/api/builder/Middleware.ts"
import { MAX_KEYS } from "../../../src/domain/ApiKey.ts"
import { guardedBy } from "./guarded.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, ask, field, signUp, text, TOKEN } = Harness

const live = { excludeTestServices: true }

type Scopes = ReadonlyArray<"quote" | "read">

const attribute = (apiKey: string) => ask("POST /attribute", { headers: { "x-api-key": apiKey } })

/** The attribution of a quote, as the orchestrator asks for it. */
const quote = (apiKey: string) => asAdmin("POST /attribute", { headers: { "x-api-key": apiKey } })

const withKey = (apiKey: string, request: string) => ask(request, { headers: { "x-api-key": apiKey } })

const create = Effect.fnUntraced(function* (cookie: string, scopes: Scopes, name = "Server") {
  const answer = yield* asBuilder(cookie)("POST /me/apikeys", { body: { name, scopes } })
  return { answer, id: text(answer, "key", "id"), apiKey: text(answer, "apiKey") }
})

const listed = (cookie: string) =>
  Effect.map(asBuilder(cookie)("GET /me/apikeys"), (answer) => Object(field(answer, "keys")) as ReadonlyArray<object>)

const revoke = (cookie: string, id: string) => asBuilder(cookie)(`DELETE /me/apikeys/${id}`)

const suspend = (id: string, suspended: boolean) => asAdmin(`PATCH /admin/builders/${id}`, { body: { suspended } })

layer(Harness.layer(), live)("API keys", (it) => {
  it.effect("are several, each shown once, and each does what its scopes say", () =>
    Effect.gen(function* () {
      const { apiKey: first, cookie, id } = yield* signUp()
      const quoting = yield* create(cookie, ["quote"], "App")
      const reading = yield* create(cookie, ["read"], "Reports")
      const both = yield* create(cookie, ["quote", "read"])
      assert.strictEqual(quoting.answer.status, 201)
      assert.match(quoting.apiKey, /^swp_[0-9a-f]{64}$/)
      const keys = yield* listed(cookie)
      assert.containSubset(keys, [
        { id: "default", name: "Default", scopes: ["quote"], prefix: first.slice(0, 12) },
        { id: quoting.id, name: "App", scopes: ["quote"], prefix: quoting.apiKey.slice(0, 12) },
        { id: reading.id, name: "Reports", scopes: ["read"] },
        { id: both.id, scopes: ["quote", "read"] }
      ])
      for (const { apiKey } of [quoting, reading, both]) assert.notInclude(JSON.stringify(keys), apiKey.slice(12))

      for (const { apiKey } of [quoting, both]) assert.strictEqual(text(yield* attribute(apiKey), "builderId"), id)
      const unscoped = yield* attribute(reading.apiKey)
      assert.strictEqual(unscoped.status, 404)
      assert.deepStrictEqual(unscoped.body, { error: "unattributed" })
      for (const { apiKey } of [reading, both]) {
        assert.strictEqual(text(yield* withKey(apiKey, "GET /account"), "id"), id)
      }
      for (const apiKey of [first, quoting.apiKey]) {
        const refused = yield* withKey(apiKey, "GET /account")
        assert.strictEqual(refused.status, 403)
        assert.deepStrictEqual(refused.body, { error: "scope_missing" })
      }
    })
  )

  it.effect("stop at once when they are revoked, and rotation replaces the default one alone", () =>
    Effect.gen(function* () {
      const { apiKey: first, cookie, id } = yield* signUp()
      const kept = yield* create(cookie, ["quote", "read"])
      const leaked = yield* create(cookie, ["quote", "read"])
      assert.deepStrictEqual((yield* revoke(cookie, leaked.id)).body, { ok: true })
      assert.strictEqual((yield* attribute(leaked.apiKey)).status, 404)
      assert.strictEqual((yield* withKey(leaked.apiKey, "GET /account")).status, 401)
      assert.strictEqual((yield* revoke(cookie, leaked.id)).status, 404)

      const rotated = text(yield* asBuilder(cookie)("POST /me/apikey/rotate"), "apiKey")
      assert.strictEqual((yield* attribute(first)).status, 404)
      for (const apiKey of [rotated, kept.apiKey]) assert.strictEqual((yield* attribute(apiKey)).status, 200)

      assert.strictEqual((yield* revoke(cookie, "default")).status, 200)
      assert.strictEqual((yield* attribute(rotated)).status, 404)
      assert.strictEqual((yield* asBuilder(cookie)("GET /me/apikey")).status, 404)
      assert.isUndefined(field(yield* asAdmin(`GET /admin/builders/${id}`), "apiKey"))
      assert.strictEqual((yield* attribute(kept.apiKey)).status, 200)
      const renewed = text(yield* asBuilder(cookie)("POST /me/apikey/rotate"), "apiKey")
      assert.strictEqual((yield* attribute(renewed)).status, 200)

      const trail = yield* asAdmin("GET /admin/audit?limit=10")
      for (const action of ["builder.create_key", "builder.revoke_key"]) assert.include(trail.text, action)
      assert.notInclude(trail.text, leaked.apiKey.slice(12))
    })
  )

  it.effect("belong to one builder: nobody else sees or revokes them", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* signUp("Ann"), yield* signUp("Bob")]
      const { apiKey, id } = yield* create(ann.cookie, ["quote"])
      assert.strictEqual((yield* revoke(bob.cookie, id)).status, 404)
      assert.strictEqual((yield* attribute(apiKey)).status, 200)
      assert.lengthOf(yield* listed(bob.cookie), 1)
    })
  )

  it.effect("of a suspended builder attribute nothing, and read on", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const { apiKey } = yield* create(cookie, ["quote", "read"])
      yield* suspend(id, true)
      assert.strictEqual((yield* attribute(apiKey)).status, 404)
      assert.strictEqual((yield* withKey(apiKey, "GET /account")).status, 200)
      yield* suspend(id, false)
      assert.strictEqual((yield* attribute(apiKey)).status, 200)
    })
  )

  it.effect("read what the dashboard reads, and nothing without a key", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const { apiKey } = yield* create(cookie, ["read"])
      for (const n of [1, 2, 3]) {
        yield* asAdmin("POST /accruals", {
          body: { builderId: id, sweepId: `${id}_${n}`, token: TOKEN, amount: String(n) }
        })
      }
      const paths = ["", "/accruals", "/activity", "/activity?limit=2", "/sweeps", "/sweeps?status=delivered"]
      for (const path of paths) {
        const own = yield* withKey(apiKey, `GET /account${path}`)
        assert.strictEqual(own.status, 200, path)
        assert.deepStrictEqual(own.body, (yield* asBuilder(cookie)(`GET /me${path}`)).body)
      }
      assert.strictEqual((yield* withKey(apiKey, "GET /account/sweeps/nothing")).status, 404)
      assert.strictEqual((yield* withKey(apiKey, "GET /account/activity?limit=0")).status, 422)
      const requests = guardedBy(ReadKeyOnly)
      assert.lengthOf(requests, 5)
      for (const request of requests) {
        const keyless = [{}, { cookie }, { "x-api-key": "" }, { "x-api-key": `swp_${"00".repeat(32)}` }]
        for (const headers of keyless) {
          const answer = yield* ask(request, { headers })
          assert.strictEqual(answer.status, 401, request)
          assert.deepStrictEqual(answer.body, { error: "unauthorized" })
        }
      }
      // A key opens nothing of the session's.
      assert.strictEqual((yield* withKey(apiKey, "GET /me")).status, 401)
    })
  )

  const refused: ReadonlyArray<readonly [string, unknown]> = [
    ["no name", { scopes: ["quote"] }],
    ["a name of spaces", { name: "  ", scopes: ["quote"] }],
    ["a long name", { name: "x".repeat(65), scopes: ["quote"] }],
    ["a name that turns text around", { name: "a\u202eb", scopes: ["quote"] }],
    ["no scopes", { name: "x", scopes: [] }],
    ["a scope twice", { name: "x", scopes: ["quote", "quote"] }],
    ["an unknown scope", { name: "x", scopes: ["admin"] }]
  ]
  for (const [what, body] of refused) {
    it.effect(`with ${what} are refused`, () =>
      Effect.gen(function* () {
        const { cookie } = yield* signUp()
        assert.strictEqual((yield* asBuilder(cookie)("POST /me/apikeys", { body })).status, 422)
        assert.lengthOf(yield* listed(cookie), 1)
      })
    )
  }

  it.effect("have a maximum number", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signUp()
      for (let n = 0; n < MAX_KEYS; n++) assert.strictEqual((yield* create(cookie, ["quote"])).answer.status, 201)
      const { answer } = yield* create(cookie, ["quote"])
      assert.strictEqual(answer.status, 409)
      assert.deepStrictEqual(answer.body, { error: "key_limit" })
    })
  )

  it.effect("are not made or revoked by pages of other sites", () =>
    Effect.gen(function* () {
      const { apiKey, cookie } = yield* signUp()
      const headers = { cookie, origin: "https://evil.example.com" }
      for (const request of ["POST /me/apikeys", "DELETE /me/apikeys/default"]) {
        const answer = yield* ask(request, { headers, body: { name: "x", scopes: ["read"] } })
        assert.strictEqual(answer.status, 403)
      }
      assert.strictEqual((yield* attribute(apiKey)).status, 200)
    })
  )
})

layer(Harness.layer(), live)("first steps", (it) => {
  it.effect("are observed: the key, a quote, a delivery and an earning", () =>
    Effect.gen(function* () {
      const { apiKey, cookie, id } = yield* signUp()
      const steps = Effect.map(asBuilder(cookie)("GET /me/milestones"), ({ body }) => Object.keys(Object(body)))
      assert.deepStrictEqual(yield* steps, ["keyCreatedAtMs"])
      // Somebody who tries the key quotes nothing.
      yield* attribute(apiKey)
      const isUsed = (key: object) => "lastUsedAtMs" in key
      yield* Harness.until(asBuilder(cookie)("GET /me/apikeys"), (answer) => isUsed(Object(field(answer, "keys", 0))))
      assert.deepStrictEqual(yield* steps, ["keyCreatedAtMs"])

      // The minute between two notes of a use does not hide the first quote.
      assert.strictEqual((yield* quote(apiKey)).status, 200)
      yield* Harness.until(
        asBuilder(cookie)("GET /me/milestones"),
        (answer) => typeof field(answer, "firstQuoteAtMs") === "number"
      )
      yield* asAdmin("POST /accruals", { body: { builderId: id, sweepId: `${id}_1`, token: TOKEN, amount: "1" } })
      assert.sameMembers(yield* steps, ["keyCreatedAtMs", "firstQuoteAtMs", "firstEarningAtMs"])
      // A revocation takes no step back but that of the key.
      yield* revoke(cookie, "default")
      assert.sameMembers(yield* steps, ["firstQuoteAtMs", "firstEarningAtMs"])
    })
  )
})
