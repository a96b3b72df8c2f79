import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ConsoleOnly, SessionOnly } from "../../../src/api/builder/Middleware.ts"
import { OperatorOnly } from "../../../src/api/shared/Middleware.ts"
import * as Harness from "./Harness.ts"
import { guardedBy } from "./guarded.ts"

const { asAdmin, ask, DASHBOARD, field, signUp, text, TOKEN, wallet } = Harness

const live = { excludeTestServices: true }

/** Of a builder's own routes, asked without a body: ids named here are nobody's. */
const expectedOf = (request: string): number => {
  if (["POST /me/webhooks", "POST /me/apikeys"].includes(request) || request.startsWith("PATCH ")) return 422
  return /\/x(\/|$)/.test(request) ? 404 : 200
}

layer(Harness.layer(), live)("browsers", (it) => {
  it.effect("of the dashboard are answered with credentials, on errors too", () =>
    Effect.gen(function* () {
      const requests = ["GET /auth/nonce", "GET /me", "POST /auth/verify", "POST /attribute", "GET /nowhere", "PUT /me"]
      for (const request of requests) {
        const answer = yield* ask(request, { headers: { origin: DASHBOARD } })
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), DASHBOARD)
        assert.strictEqual(answer.headers.get("access-control-allow-credentials"), "true")
        assert.include(answer.headers.get("vary") ?? "", "Origin")
        assert.isNotNull(answer.headers.get("x-request-id"))
      }
      const preflight = yield* ask("OPTIONS /me/apikey/rotate", {
        headers: { origin: DASHBOARD, "access-control-request-method": "POST" }
      })
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers.get("access-control-allow-origin"), DASHBOARD)
      assert.include(preflight.headers.get("access-control-allow-methods") ?? "", "PATCH")
    })
  )

  it.effect("of other sites are not, and may not change anything with a visitor's cookie", () =>
    Effect.gen(function* () {
      const { account, apiKey, cookie } = yield* signUp()
      const strangers = [
        "https://evil.example.com",
        `${DASHBOARD}.evil.example.com`,
        "http://dashboard.example.com",
        "null"
      ]
      for (const origin of strangers) {
        const headers = { origin, cookie }
        const read = yield* ask("GET /me", { headers })
        assert.isNull(read.headers.get("access-control-allow-origin"))
        assert.include(read.headers.get("vary") ?? "", "Origin")
        const posts = [
          yield* ask("POST /me/apikey/rotate", { headers }),
          yield* ask("POST /auth/logout", { headers }),
          yield* ask("POST /auth/verify", { headers, body: yield* Harness.signed(account) }),
          yield* ask("POST /builders/self", { headers, body: { ...(yield* Harness.signed(wallet())), name: "x" } })
        ]
        for (const answer of posts) {
          assert.strictEqual(answer.status, 403)
          assert.deepStrictEqual(answer.body, { error: "forbidden_origin" })
          assert.isNull(answer.headers.get("set-cookie"))
        }
      }
      for (const request of guardedBy(ConsoleOnly)) {
        const answer = yield* asAdmin(request, { headers: { origin: "https://evil.example.com" } })
        assert.strictEqual(answer.status, 403, request)
      }
      const own = yield* Harness.url
      assert.strictEqual((yield* asAdmin("GET /admin/builders", { headers: { origin: own } })).status, 200)
      assert.strictEqual((yield* asAdmin("GET /admin/builders", { headers: { origin: DASHBOARD } })).status, 200)
      assert.strictEqual((yield* Harness.asBuilder(cookie)("GET /me")).status, 200)
      assert.strictEqual((yield* ask("POST /attribute", { headers: { "x-api-key": apiKey } })).status, 200)
    })
  )

  it.effect("get documentation", () =>
    Effect.gen(function* () {
      const document = yield* ask("GET /openapi.json")
      assert.strictEqual(document.status, 200)
      for (const path of [
        "/auth/nonce",
        "/builders/self",
        "/me/apikey/rotate",
        "/attribute",
        "/admin/payouts/{id}/paid"
      ]) {
        assert.isDefined(field(document, "paths", path), path)
      }
      assert.notInclude(document.text, "Encoded")
      const page = yield* ask("GET /docs")
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-type") ?? "", "text/html")
      assert.deepStrictEqual((yield* ask("GET /healthz")).body, { ok: true })
      assert.deepStrictEqual((yield* ask("GET /readyz")).body, { ok: true })
      assert.strictEqual((yield* ask("DELETE /me")).status, 405)
      assert.deepStrictEqual((yield* ask("GET /nowhere")).body, { error: "not found" })
    })
  )
})

layer(Harness.layer({ server: { trustedProxyHops: 1 } }), live)("two builders", (it) => {
  it.effect("never see each other's data, on any route", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* signUp("Ann"), yield* signUp("Bob")]
      for (const { id } of [ann, bob]) {
        for (const n of [1, 2, 3]) {
          const body = { builderId: id, sweepId: `${id}_sweep_${n}`, token: TOKEN, amount: String(n) }
          assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 201)
        }
      }
      const owner = (person: typeof ann) => [
        person.id,
        person.account.address,
        person.apiKey,
        person.cookie.split("=")[1] ?? ""
      ]
      for (const [self, other] of [
        [ann, bob],
        [bob, ann]
      ] as const) {
        const cursor = text(yield* Harness.asBuilder(other.cookie)("GET /me/activity?limit=1"), "nextCursor")
        const requests = [
          ...guardedBy(SessionOnly),
          `GET /me/activity?cursor=${cursor}`,
          "GET /me/activity?cursor=999999999",
          `GET /me?id=${other.id}`
        ]
        assert.isAbove(requests.length, 7)
        let cookie = self.cookie
        for (const request of requests) {
          const answer = yield* Harness.asBuilder(cookie)(request)
          assert.strictEqual(answer.status, expectedOf(request), request)
          for (const secret of owner(other)) {
            assert.notInclude(answer.text.toLowerCase(), secret.toLowerCase(), request)
          }
        }
        const attributed = yield* ask("POST /attribute", { headers: { "x-api-key": other.apiKey, cookie } })
        if (attributed.status === 200) assert.strictEqual(text(attributed, "builderId"), other.id)
        // A session opens nothing of the operator's, nor does an API key.
        for (const [index, request] of [...guardedBy(OperatorOnly), ...guardedBy(ConsoleOnly)].entries()) {
          for (const headers of [
            { cookie },
            { authorization: `Bearer ${self.apiKey}`, "x-forwarded-for": `192.0.2.${index}` },
            { "x-api-key": self.apiKey }
          ]) {
            assert.strictEqual((yield* ask(request, { headers })).status, 401, request)
          }
        }
        const signedIn = yield* ask("POST /auth/verify", { body: yield* Harness.signed(self.account) })
        cookie = Harness.cookieOf(signedIn)
        assert.strictEqual(text(signedIn, "builder", "id"), self.id)
      }
    })
  )
})

const window = { limit: 3, windowMillis: 3_600_000 }

const rateLimits = { orchestrator: window, attribution: window, signup: window, builder: window }

layer(Harness.layer({ server: { trustedProxyHops: 1 } }), live)("guesses of the admin token", (it) => {
  it.effect("are as few on POST /attribute as elsewhere, and tell nothing beyond their limit", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* signUp()
      const attribute = (client: string, token?: string) =>
        ask("POST /attribute", {
          headers: {
            "x-forwarded-for": client,
            "x-api-key": apiKey,
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
          }
        })
      const asked = (client: string, token?: string) => Effect.map(attribute(client, token), ({ status }) => status)
      for (let n = 0; n < 30; n++) assert.strictEqual(yield* asked("192.0.2.4", Harness.ADMIN_TOKEN), 200)
      for (let n = 0; n < 20; n++) {
        const guessed = yield* attribute("192.0.2.4", `guess ${n}`)
        assert.strictEqual(guessed.status, 200)
        assert.isNotNull(guessed.headers.get("ratelimit"))
      }
      const [wrong, right] = [
        yield* attribute("192.0.2.4", "guess 20"),
        yield* attribute("192.0.2.4", Harness.ADMIN_TOKEN)
      ]
      for (const refused of [wrong, right]) {
        assert.deepStrictEqual([refused.status, refused.body], [429, { error: "rate limit exceeded" }])
        assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/)
      }
      assert.deepStrictEqual([...right.headers.keys()], [...wrong.headers.keys()])
      const elsewhere = { headers: { "x-forwarded-for": "192.0.2.4" } }
      assert.strictEqual((yield* asAdmin("GET /admin/builders", elsewhere)).status, 429)
      // Requests without a token, and other clients, do not notice.
      assert.strictEqual(yield* asked("192.0.2.4"), 200)
      assert.strictEqual(yield* asked("192.0.2.5", Harness.ADMIN_TOKEN), 200)
    })
  )

  it.effect("on other routes count on POST /attribute", () =>
    Effect.gen(function* () {
      const headers = { "x-forwarded-for": "192.0.2.6" }
      for (let n = 0; n < 20; n++) {
        const guess = { headers: { ...headers, authorization: `Bearer guess ${n}` } }
        assert.strictEqual((yield* ask("GET /admin/builders", guess)).status, 401)
      }
      assert.strictEqual((yield* asAdmin("POST /attribute", { headers })).status, 429)
    })
  )
})

layer(Harness.layer({ server: { rateLimits, trustedProxyHops: 1 } }), live)("limits", (it) => {
  it.effect("each window is counted per client, and answered with Retry-After", () =>
    Effect.gen(function* () {
      const windows: ReadonlyArray<readonly [request: string, status: number]> = [
        ["GET /auth/nonce", 200],
        ["POST /builders/self", 422],
        ["POST /attribute", 404]
      ]
      for (const [request, status] of windows) {
        const headers = { "x-forwarded-for": "192.0.2.1" }
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* ask(request, { headers })).status, status)
        const refused = yield* ask(request, { headers: { ...headers, origin: DASHBOARD } })
        assert.strictEqual(refused.status, 429)
        assert.deepStrictEqual(refused.body, { error: "rate limit exceeded" })
        assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/)
        assert.strictEqual(refused.headers.get("access-control-allow-origin"), DASHBOARD)
        const other = yield* ask(request, { headers: { "x-forwarded-for": "192.0.2.2" } })
        assert.strictEqual(other.status, status)
      }
      assert.strictEqual((yield* ask("GET /me", { headers: { "x-forwarded-for": "192.0.2.1" } })).status, 429)
      for (let n = 0; n < 5; n++) assert.strictEqual((yield* asAdmin("GET /admin/builders")).status, 200)
    })
  )

  it.effect("all networks of an IPv6 site get ten times the nonces of a client, and still read", () =>
    Effect.gen(function* () {
      const from = (network: number) => ({ headers: { "x-forwarded-for": `2001:db8:5:${network}::1` } })
      for (let network = 0; network < 30; network++) {
        assert.strictEqual((yield* ask("GET /auth/nonce", from(network))).status, 200)
      }
      assert.strictEqual((yield* ask("GET /auth/nonce", from(99))).status, 429)
      assert.strictEqual((yield* ask("GET /me", from(100))).status, 401)
    })
  )

  it.effect("the orchestrator's attributions are not counted, and a guessed token is", () =>
    Effect.gen(function* () {
      const { apiKey, id } = yield* Harness.signUp("Busy builder")
      const attribute = (authorization: string) =>
        ask("POST /attribute", {
          headers: { "x-forwarded-for": "192.0.2.3", "x-api-key": apiKey, ...(authorization ? { authorization } : {}) }
        })
      for (let n = 0; n < 10; n++) {
        const answer = yield* attribute(`Bearer ${Harness.ADMIN_TOKEN}`)
        assert.strictEqual(text(answer, "builderId"), id)
        assert.isNull(answer.headers.get("ratelimit"))
      }
      const guesses = ["Bearer a-guess", "Bearer ", "", `Basic ${Harness.ADMIN_TOKEN}`]
      const statuses = yield* Effect.forEach(guesses, (guess) => Effect.map(attribute(guess), ({ status }) => status))
      assert.deepStrictEqual(statuses, [200, 200, 200, 429])

      // Nothing else is exempt.
      const headers = { "x-forwarded-for": "192.0.2.3", authorization: `Bearer ${Harness.ADMIN_TOKEN}` }
      for (let n = 0; n < 3; n++) yield* ask("GET /auth/nonce", { headers })
      assert.strictEqual((yield* ask("GET /auth/nonce", { headers })).status, 429)
    })
  )

  it.effect("long bodies are refused", () =>
    Effect.gen(function* () {
      const answer = yield* asAdmin("POST /accruals", { raw: `"${"x".repeat(70_000)}"` })
      assert.strictEqual(answer.status, 413)
    })
  )
})
