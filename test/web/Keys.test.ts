/** Sign-up with one signature, API keys and the quickstart, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Page } from "playwright-core"
import * as Harness from "../server/builder/Harness.ts"
import { chooseWallet, click, focused, opens, reads, secret, sees, works } from "./DashboardSteps.ts"
import * as Site from "./Site.ts"
import * as Wallet from "./Wallet.ts"

const live = { excludeTestServices: true } as const

/** Holds the POST requests of a URL until they are let go, and counts them. */
const holdsPosts = Effect.fnUntraced(function* (page: Page, url: string) {
  const letGo = Promise.withResolvers<void>()
  let count = 0
  yield* Effect.promise(() =>
    page.route(url, async (route) => {
      if (route.request().method() !== "POST") return route.fallback()
      count += 1
      await letGo.promise
      return route.continue()
    })
  )
  return { count: () => count, letGo: Effect.sync(letGo.resolve) }
})

/** Submits the form of the name twice in one task, and presses Enter once more while the request is pending. */
const submitsAgain = Effect.fnUntraced(function* (page: Page) {
  const name = page.getByLabel("Name")
  yield* Effect.promise(() =>
    name.evaluate((field) => {
      const form = field instanceof HTMLInputElement ? field.form : null
      form?.requestSubmit()
      form?.requestSubmit()
    })
  )
  yield* Effect.promise(() => page.locator("button[aria-busy=true]").waitFor())
  yield* Effect.promise(() => name.press("Enter"))
})

layer(Site.layer(), live)("a new builder", (it) => {
  it.effect("signs a new message if the first one expired before it chose a name", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const wallet = yield* Wallet.install(page, Harness.wallet())
      yield* opens(page, "/")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Create your builder account")
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM builder.nonces`
      yield* Effect.promise(() => page.getByLabel("Name").fill("Slow Reader"))
      yield* click(page, "Create account")
      yield* reads(page, "The sign-in message has expired")
      assert.lengthOf(wallet.shown, 1)
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Name").inputValue()), "Slow Reader")
      yield* click(page, "Sign and create account")
      yield* sees(page, "Keep your API key")
      assert.lengthOf(new Set(wallet.shown), 2, "each message has its own nonce")
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked to sign again after an answer that got lost", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const wallet = yield* Wallet.install(page, Harness.wallet())
      yield* opens(page, "/")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Create your builder account")
      yield* Effect.promise(() => page.route("**/builders/self", (route) => route.abort(), { times: 1 }))
      yield* Effect.promise(() => page.getByLabel("Name").fill("Bad Line"))
      yield* click(page, "Create account")
      yield* reads(page, "The service cannot be reached.")
      yield* click(page, "Create account")
      yield* sees(page, "Keep your API key")
      assert.lengthOf(wallet.shown, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("gets one account and its key, however often the form is submitted", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* Wallet.install(page, Harness.wallet())
      yield* opens(page, "/")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Create your builder account")
      yield* Effect.promise(() => page.getByLabel("Name").fill("Impatient"))
      const posts = yield* holdsPosts(page, "**/builders/self")
      yield* submitsAgain(page)
      yield* posts.letGo
      yield* sees(page, "Keep your API key")
      assert.strictEqual(posts.count(), 1)
      assert.isTrue(yield* works(yield* secret(page)))
    }).pipe(Effect.scoped)
  )

  it.effect("creates one key, however often the form is submitted", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp("Impatient with keys")
      const { page } = yield* Site.visitorOf(cookie)
      yield* opens(page, "/app/api-key")
      yield* click(page, "Create a key")
      yield* Effect.promise(() => page.getByLabel("Name").fill("Reports"))
      const posts = yield* holdsPosts(page, "**/me/apikeys")
      yield* submitsAgain(page)
      yield* posts.letGo
      yield* sees(page, "Your new API key")
      assert.strictEqual(posts.count(), 1)
      assert.isTrue(yield* works(yield* secret(page)))
      yield* Effect.promise(() => page.getByLabel(/stored in a safe place/).check())
      yield* click(page, "Done")
      const rows = page.getByRole("row").filter({ hasText: "Reports" })
      yield* Effect.promise(() => rows.first().waitFor())
      assert.strictEqual(yield* Effect.promise(() => rows.count()), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("creates a key with a name and scopes, and revokes it and the default one", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { account, apiKey: first } = yield* Harness.signUp("Quayside")
      yield* Wallet.install(page, account)
      yield* opens(page, "/app/api-key")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "API keys")
      yield* click(page, "Create a key")
      yield* Effect.promise(() => page.getByLabel("Name").fill("Reports"))
      yield* Effect.promise(() => page.getByLabel("Attribute quotes").uncheck())
      yield* click(page, "Create the key")
      yield* reads(page, "Choose at least one.")
      yield* Effect.promise(() => page.getByLabel("Read your data").check())
      yield* click(page, "Create the key")
      yield* sees(page, "Your new API key")
      const apiKey = yield* secret(page)
      yield* Effect.promise(() => page.getByLabel(/stored in a safe place/).check())
      yield* click(page, "Done")
      const row = page.getByRole("row").filter({ hasText: "Reports" })
      yield* Effect.promise(() => row.getByText("Never").waitFor())
      assert.include(yield* Effect.promise(() => row.innerText()), "read")
      assert.notInclude(yield* Effect.promise(() => page.content()), apiKey)

      const read = () => Harness.ask("GET /account", { headers: { "x-api-key": apiKey } })
      assert.strictEqual((yield* read()).status, 200)
      assert.isFalse(yield* works(apiKey), "it may not quote")
      yield* click(page, "Revoke Reports")
      yield* click(page, "Keep the key")
      assert.strictEqual((yield* read()).status, 200)
      yield* click(page, "Revoke Reports")
      yield* click(page, "Revoke the key")
      yield* reads(page, "The key Reports is revoked.")
      assert.strictEqual((yield* read()).status, 401)
      assert.isTrue(yield* works(first), "the other key goes on")
      yield* Effect.promise(() => row.waitFor({ state: "detached" }))
      assert.strictEqual(yield* focused(page), "SECTION", "the button that had the focus is gone")

      yield* click(page, "Revoke Default")
      yield* click(page, "Revoke the key")
      yield* reads(page, "The key Default is revoked.")
      assert.isFalse(yield* works(first))
      yield* reads(page, "Without a key, no sweep is attributed to you.")
      yield* click(page, "New default key")
      yield* reads(page, "Create a default key?")
      yield* click(page, "Create the key")
      assert.isTrue(yield* works(yield* secret(page)))
    }).pipe(Effect.scoped)
  )

  it.effect("sees the quickstart tick by itself, with code for each way", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { account, apiKey, id } = yield* Harness.signUp("Breakwater")
      yield* Wallet.install(page, account)
      yield* opens(page, "/app/quickstart")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Quickstart")
      const done = (title: string) =>
        Effect.promise(() =>
          page
            .getByRole("listitem")
            .filter({ hasText: title })
            .getByText(/^Done /)
            .waitFor()
        )
      const isDone = page.getByText(/^Done /)
      yield* done("Have a key that may quote")
      assert.strictEqual(yield* Effect.promise(() => isDone.count()), 1)
      // Nobody touches the page from here on.
      yield* Harness.asAdmin("POST /attribute", { headers: { "x-api-key": apiKey } })
      yield* done("Quote with your key")
      const [sweep] = yield* Site.sweepForAMonth(id, 2)
      assert.isDefined(sweep)
      yield* done("Deliver a sweep")
      yield* Site.earnForAMonth(id)
      yield* done("Earn")

      for (const name of ["SDK", "Widget", "HTTP", "MCP"]) {
        yield* Effect.promise(() => page.getByRole("tab", { name }).click())
        const code = yield* Effect.promise(() => page.getByLabel("Code").innerText())
        assert.include(code, Site.orchestratorUrl.replace(/\/$/, ""), name)
      }
      yield* reads(page, "swp_YOUR_KEY")
      yield* Effect.promise(() => page.getByLabel("Your API key").fill(`${apiKey}"`))
      yield* reads(page, "An API key is swp_")
      yield* reads(page, "swp_YOUR_KEY")
      yield* Effect.promise(() => page.getByLabel("Your API key").fill(apiKey))
      const config = JSON.parse(yield* Effect.promise(() => page.getByLabel("Code").innerText()))
      assert.strictEqual(config.mcpServers["token-sweep"].env.SERVICE_API_KEY, apiKey)
    }).pipe(Effect.scoped)
  )
})
