/** The server delivers the app beside the API. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import type { Response } from "playwright-core"
import * as Harness from "../server/builder/Harness.ts"
import * as Site from "./Site.ts"

const live = { excludeTestServices: true } as const

const html = { headers: { accept: "text/html,*/*" } }

layer(Site.layer(), live)("the app beside the API", (it) => {
  it.effect("is a page at every path below /app, with a strict policy", () =>
    Effect.gen(function* () {
      for (const path of ["/app", "/app/", "/app/activity", "/app/admin/builders/acme"]) {
        const { headers, status, text } = yield* Harness.ask(`GET ${path}`, html)
        assert.strictEqual(status, 200, path)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.strictEqual(headers.get("cache-control"), "no-cache")
        const policy = headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self'")
        assert.include(policy, "connect-src 'self' https://api.example.com;")
        assert.notInclude(policy, "unsafe")
        assert.notMatch(text, /<script(?![^>]*src=)/, "no inline script")
      }
    })
  )

  it.effect("has the page for owners at its path with and without a slash at the end", () =>
    Effect.gen(function* () {
      const { text } = yield* Harness.ask("GET /app/sweep", html)
      for (const path of ["/app/sweep/", "/app/sweep//", "/app/sweep/?token=x"]) {
        const answer = yield* Harness.ask(`GET ${path}`, html)
        assert.strictEqual(answer.status, 200, path)
        assert.strictEqual(answer.text, text, path)
      }
      assert.notStrictEqual((yield* Harness.ask("GET /app/sweeps/", html)).text, text)
    })
  )

  it.effect("is where browsers are sent, and what the API answers stays", () =>
    Effect.gen(function* () {
      const { url } = yield* Site.Site
      const redirected = yield* Effect.promise(() =>
        fetch(url, { redirect: "manual", headers: { accept: "text/html" } })
      )
      assert.strictEqual(redirected.status, 302)
      assert.strictEqual(redirected.headers.get("location"), "/app")
      assert.deepStrictEqual((yield* Harness.ask("GET /")).body, { error: "not found" })
      assert.deepStrictEqual((yield* Harness.ask("GET /admin")).body, { error: "not found" })
      assert.strictEqual((yield* Harness.ask("GET /me", html)).status, 401)
      assert.strictEqual((yield* Harness.ask("GET /admin/builders", html)).status, 401)
      assert.strictEqual((yield* Harness.ask("GET /unknown", html)).status, 404)
      assert.strictEqual((yield* Harness.ask("GET /app/assets/missing.js")).status, 404)
      assert.strictEqual((yield* Harness.ask("POST /app")).status, 405)
    })
  )

  it.effect(
    "loads less than 80 kB of script at the door, and 92 kB inside, where amounts get their value in dollars",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Site.Site
        const { cookie } = yield* Harness.signUp()
        const [name = "", value = ""] = cookie.split("=")
        for (const [heading, limit] of [
          ["Sign in with your wallet", 80_000],
          ["Overview", 92_000]
        ] as const) {
          const { context, page } = yield* Site.visitor()
          if (heading === "Overview") {
            yield* Effect.promise(() => context.addCookies([{ name, value, url, httpOnly: true, secure: true }]))
          }
          const scripts: Array<Response> = []
          page.on("response", (response) => {
            if (response.url().endsWith(".js")) scripts.push(response)
          })
          yield* Effect.promise(() => page.goto("/app"))
          yield* Effect.promise(() => page.getByRole("heading", { name: heading }).waitFor())
          const bodies = yield* Effect.promise(() => Promise.all(scripts.map((script) => script.body())))
          const bytes = bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0)
          assert.isBelow(bytes, limit, heading)
        }
      }).pipe(Effect.scoped)
  )

  it.effect("tells clients what the deployment serves", () =>
    Effect.gen(function* () {
      const answer = yield* Harness.ask("GET /deployment")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(Harness.field(answer, "selfSignup"), true)
      assert.strictEqual(Harness.field(answer, "consoleAccess"), "admin_token")
      assert.strictEqual(Harness.field(answer, "chains", 0, "name"), "base")
      assert.strictEqual(Harness.field(answer, "domainName"), "Service")
      assert.notInclude(answer.text, "rpc")
      assert.notInclude(answer.text, "localNetwork", "keys in the browser are for the local network alone")
    })
  )
})
