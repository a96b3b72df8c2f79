import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Harness from "./Harness.ts"

const { ask, signed, signUp, wallet } = Harness
const live = { excludeTestServices: true }

const verify = (body: unknown) => ask("POST /auth/verify", { body })

const tokenOf = (cookie: string) => cookie.split("=")[1] ?? ""

layer(Harness.layer(), live)("sign-up and sign-in", (it) => {
  it.effect("a new wallet signs up, is signed in, signs in again and out", () =>
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
      assert.deepInclude(me.body, {
        id,
        name: "Ann's wallet",
        builderBps: 0,
        maxBuilderBps: 0,
        payoutAddress: account.address
      })

      const again = yield* ask("POST /auth/verify", { body: yield* signed(account), headers: { cookie } })
      assert.strictEqual(again.status, 200)
      assert.sameMembers(Object.keys(Object(Harness.field(again, "builder"))), [
        "builderBps",
        "id",
        "maxBuilderBps",
        "name",
        "payoutAddress"
      ])
      // The session is rotated: the previous token is worth nothing.
      assert.strictEqual((yield* Harness.asBuilder(cookie)("GET /me")).status, 401)
      const fresh = Harness.asBuilder(Harness.cookieOf(again))
      assert.strictEqual((yield* fresh("GET /me")).status, 200)
      const out = yield* fresh("POST /auth/logout")
      assert.deepStrictEqual(out.body, { ok: true })
      assert.match(out.headers.get("set-cookie") ?? "", /^sweep_session=;.*Max-Age=0/)
      assert.strictEqual((yield* fresh("GET /me")).status, 401)
      assert.strictEqual((yield* ask("POST /auth/logout")).status, 200)
    })
  )

  it.effect("neither API keys, tokens nor nonces can be read from the database", () =>
    Effect.gen(function* () {
      const { apiKey, cookie } = yield* signUp()
      const made = yield* Harness.asBuilder(cookie)("POST /me/apikeys", { body: { name: "Two", scopes: ["read"] } })
      const named = Harness.text(made, "apiKey")
      const sql = yield* SqlClient.SqlClient
      for (const table of ["builder.api_keys", "builder.named_keys", "builder.sessions", "builder.audit_log"]) {
        const rows = JSON.stringify(yield* sql`SELECT to_jsonb(t) AS row FROM ${sql(table)} t`)
        assert.isAbove(rows.length, 10)
        for (const key of [apiKey, named]) assert.notInclude(rows, key.slice(12))
        assert.notInclude(rows, tokenOf(cookie))
      }
    })
  )

  it.effect("a wallet owns one builder, however many sign-ups race", () =>
    Effect.gen(function* () {
      const account = wallet()
      const bodies = yield* Effect.forEach(Array.from({ length: 20 }), () => signed(account))
      const answers = yield* Effect.forEach(
        bodies,
        (body) => ask("POST /builders/self", { body: { ...body, name: "Racer" } }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 1)
      const others = answers.filter(({ status }) => status !== 201)
      for (const { body, status } of others) {
        assert.strictEqual(status, 409)
        assert.deepStrictEqual(body, { error: "already_registered" })
      }
    })
  )

  it.effect("200 verifications of one nonce, 40 at a time, give one session", () =>
    Effect.gen(function* () {
      const { account } = yield* signUp()
      const body = yield* signed(account)
      const answers = yield* Effect.forEach(Array.from({ length: 200 }), () => verify(body), { concurrency: 40 })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) {
        if (answer.status === 200) continue
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.body, { error: "bad_nonce" })
      }
    })
  )

  it.effect("an unregistered wallet is told so, and its nonce is spent", () =>
    Effect.gen(function* () {
      const body = yield* signed(wallet())
      const answer = yield* verify(body)
      assert.strictEqual(answer.status, 404)
      assert.deepStrictEqual(answer.body, { error: "no_builder" })
      assert.deepStrictEqual((yield* verify(body)).body, { error: "bad_nonce" })
    })
  )

  it.effect("a message that fails leaves its nonce usable", () =>
    Effect.gen(function* () {
      const { account } = yield* signUp()
      const nonce = yield* Harness.nonce
      const message = Harness.message(account.address, { nonce })
      const forged = yield* Effect.promise(() => wallet().signMessage({ message }))
      assert.deepStrictEqual((yield* verify({ message, signature: forged })).body, { error: "bad_signature" })
      const signature = yield* Effect.promise(() => account.signMessage({ message }))
      assert.strictEqual((yield* verify({ message, signature })).status, 200)
    })
  )

  it.effect("a wallet with a key signs up and in by a message that names a chain that is not served", () =>
    Effect.gen(function* () {
      const account = wallet()
      const chainId = 1_000_001
      const body = { ...(yield* signed(account, { chainId })), name: "Elsewhere" }
      assert.strictEqual((yield* ask("POST /builders/self", { body })).status, 201)
      assert.deepStrictEqual((yield* verify(body)).body, { error: "bad_nonce" })
      assert.strictEqual((yield* verify(yield* signed(account, { chainId }))).status, 200)
      const { message } = yield* signed(account, { chainId })
      const signature = yield* Effect.promise(() => wallet().signMessage({ message }))
      assert.deepStrictEqual((yield* verify({ message, signature })).body, { error: "bad_signature" })
    })
  )

  const day = 86_400_000
  const refused: ReadonlyArray<readonly [string, Partial<Harness.MessageOptions>]> = [
    ["another domain", { domain: "evil.example.com" }],
    ["a URI of another site", { uri: "https://evil.example.com/" }],
    ["the dashboard's host over http", { uri: "http://dashboard.example.com" }],
    ["another scheme", { scheme: "http" }],
    ["an issue date in the future", { issuedAt: new Date(Date.now() + day) }],
    ["an old issue date", { issuedAt: new Date(Date.now() - day) }],
    ["an expiry that has passed", { expirationTime: new Date(Date.now() - 1_000) }],
    ["a start that lies ahead", { notBefore: new Date(Date.now() + day) }]
  ]
  for (const [what, options] of refused) {
    it.effect(`a message with ${what} is refused`, () =>
      Effect.gen(function* () {
        const account = wallet()
        const answer = yield* verify(yield* signed(account, options))
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.body, { error: "bad_signature" })
        const signUpAnswer = yield* ask("POST /builders/self", {
          body: { ...(yield* signed(account, options)), name: "Refused" }
        })
        assert.strictEqual(signUpAnswer.status, 401)
        assert.isNull(signUpAnswer.headers.get("set-cookie"))
      })
    )
  }

  it.effect("nonces that were never issued, or are missing, are refused as such", () =>
    Effect.gen(function* () {
      const account = wallet()
      for (const nonce of ["0123456789abcdef0123456789abcdef", "a".repeat(200)]) {
        const answer = yield* verify(yield* signed(account, { nonce }))
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.body, { error: "bad_nonce" })
      }
      const { message, signature } = yield* signed(account)
      for (const text of [message.replace(/Nonce: .*\n/, ""), message.replace(/Nonce: .*\n/, "Nonce: short\n")]) {
        const answer = yield* verify({ message: text, signature })
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.body, { error: "bad_nonce" })
      }
    })
  )

  const malformed: ReadonlyArray<readonly [string, Harness.Ask]> = [
    ["no body", {}],
    ["no JSON", { raw: "{" }],
    ["an array", { body: [] }],
    ["null", { body: null }],
    ["no signature", { body: { message: "x", name: "x" } }],
    ["no message", { body: { signature: "0x", name: "x" } }],
    ["a message that is no string", { body: { message: 1, signature: "0x", name: "x" } }],
    ["a message that is not one", { body: { message: "let me in", signature: "0x", name: "x" } }],
    [
      "an endless message",
      { body: { message: `a wants you to sign in${"x".repeat(60_000)}`, signature: "0x", name: "x" } }
    ]
  ]
  for (const [what, options] of malformed) {
    it.effect(`${what}: 422 bad_request`, () =>
      Effect.gen(function* () {
        for (const path of ["POST /auth/verify", "POST /builders/self"]) {
          const answer = yield* ask(path, options)
          assert.strictEqual(answer.status, 422)
          assert.deepStrictEqual(answer.body, { error: "bad_request" })
        }
      })
    )
  }

  it.effect("a signature that is not hex is not the wallet's", () =>
    Effect.gen(function* () {
      const { account } = yield* signUp()
      for (const signature of ["yes", "0x", "0x1", `0x${"00".repeat(65)}`, `0x${"ff".repeat(64)}`]) {
        const answer = yield* verify({ ...(yield* signed(account)), signature })
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.body, { error: "bad_signature" })
      }
    })
  )

  it.effect("a display name has 1 to 64 characters", () =>
    Effect.gen(function* () {
      const post = Effect.fnUntraced(function* (name: unknown) {
        return yield* ask("POST /builders/self", { body: { ...(yield* signed(wallet())), name } })
      })
      for (const name of ["A", "🧹".repeat(64), "x".repeat(64), "O'Reilly; DROP TABLE builders --"]) {
        const answer = yield* post(name)
        assert.strictEqual(answer.status, 201)
        assert.strictEqual(Harness.field(answer, "builder", "name"), name)
      }
      for (const name of ["", "   ", "x".repeat(65), "a\u0000b", "a\nb", 7, null, undefined]) {
        const answer = yield* post(name)
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(answer.body, { error: "bad_request" })
      }
    })
  )

  it.effect("every /me route asks for a session that exists", () =>
    Effect.gen(function* () {
      const requests = [
        "GET /me",
        "GET /me/accruals",
        "GET /me/activity",
        "GET /me/apikey",
        "POST /me/apikey/rotate",
        "GET /me/apikeys",
        "DELETE /me/apikeys/default",
        "GET /me/milestones"
      ]
      const cookies = ["", "sweep_session=", "sweep_session=nonsense", `sweep_session=${"ab".repeat(32)}`]
      for (const request of requests) {
        for (const cookie of cookies) {
          const answer = yield* ask(request, { headers: { cookie } })
          assert.strictEqual(answer.status, 401)
          assert.deepStrictEqual(answer.body, { error: "unauthorized" })
        }
      }
    })
  )
})

layer(Harness.layer({ settings: { selfSignupEnabled: false } }), live)("without self-signup", (it) => {
  it.effect("sign-ups are refused before anything of them is read", () =>
    Effect.gen(function* () {
      for (const options of [{}, { raw: "{" }, { body: { ...(yield* signed(wallet())), name: "Ann" } }]) {
        const answer = yield* ask("POST /builders/self", options)
        assert.strictEqual(answer.status, 403)
        assert.deepStrictEqual(answer.body, { error: "signup_disabled" })
      }
    })
  )
})

layer(Harness.layer({ settings: { nonceLifetimeMillis: 1, sessionLifetimeMillis: 1_000 } }), live)("time", (it) => {
  it.effect("a nonce expires", () =>
    Effect.gen(function* () {
      const answer = yield* verify(yield* signed(wallet()))
      assert.strictEqual(answer.status, 401)
      assert.deepStrictEqual(answer.body, { error: "bad_nonce" })
    })
  )
})

layer(Harness.layer({ settings: { sessionLifetimeMillis: 300, sessionCookieDomain: "example.com" } }), live)(
  "a short session",
  (it) => {
    it.effect("expires, and its cookie spans subdomains", () =>
      Effect.gen(function* () {
        const { answer, cookie } = yield* signUp()
        assert.include(answer.headers.get("set-cookie") ?? "", "Domain=example.com")
        yield* Effect.sleep("400 millis")
        const expired = yield* Harness.asBuilder(cookie)("GET /me")
        assert.strictEqual(expired.status, 401)
        assert.deepStrictEqual(expired.body, { error: "unauthorized" })
      })
    )
  }
)
